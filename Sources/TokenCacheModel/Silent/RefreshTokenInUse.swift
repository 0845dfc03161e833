// SPDX-License-Identifier: MIT

/// A refresh token on its way to the server.
struct RefreshTokenInUse: Sendable, CustomReflectable {
  let secret: String
  /// The record that holds it: refreshes of it take turns.
  let owner: RecordKey

  var isFamilys: Bool { owner.kind == .family }

  var customMirror: Mirror { Mirror(self, children: ["owner": owner]) }
}
