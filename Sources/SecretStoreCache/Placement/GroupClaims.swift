// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The collections with a marker of the group, whichever program wrote the marker.
struct GroupClaims: Sendable, Equatable {
  /// The locations that the markers of unlocked collections name, sorted by path.
  var locations: [GroupLocation] = []
  /// Locked collections with the group's name that the group's passwords don't open.
  var stillLocked: [ObjectPath] = []
  /// The error of a marker that can't be read; `nil` when every marker can.
  var failure: SecretStoreError?

  /// Returns whether there is a group.
  ///
  /// - Throws: The ``failure``, when no marker can be read.
  func isGroup() throws(SecretStoreError) -> Bool {
    if !locations.isEmpty { return true }
    if let failure { throw failure }
    return false
  }

  /// The location of the only marker; `nil` when there are several markers, or none.
  var only: GroupLocation? {
    locations.count == 1 && stillLocked.isEmpty && failure == nil ? locations[0] : nil
  }
}
