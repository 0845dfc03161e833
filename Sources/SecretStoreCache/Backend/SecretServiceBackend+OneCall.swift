// SPDX-License-Identifier: MIT

extension SecretServiceBackend {
  /// The same back end for a program that makes one call and ends: a record that was in a list is not read again by the
  /// call that the list was read for.
  package func forOneCall() -> SecretServiceBackend {
    SecretServiceBackend(group: group, client: client, options: options, mirror: mirror, lastList: LastList())
  }
}
