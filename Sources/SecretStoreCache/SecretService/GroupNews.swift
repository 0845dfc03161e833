// SPDX-License-Identifier: MIT

/// How often it was told that something has changed.
struct GroupNews: Sendable {
  /// By the provider.
  var ofProvider = 0
  /// By users of this library, of the groups that somebody here listens to.
  var ofGroups: [String: Int] = [:]
}
