// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The collections with a marker of the group, whichever program wrote the marker.
struct GroupClaims: Sendable, Equatable {
  /// The locations that the markers of unlocked collections name, sorted by path.
  var locations: [GroupLocation] = []
  /// Locked collections with the group's name that the group's passwords don't open.
  var stillLocked: [ObjectPath] = []
  /// The collections with a marker that can't be read, except for other programs', sorted by path.
  var unreadable: [ObjectPath] = []

  /// Whether there is a marker, readable or not.
  var isGroup: Bool { !locations.isEmpty || !unreadable.isEmpty }

  /// The location of the only marker; `nil` when there are several markers, one that can't be read, or none.
  var only: GroupLocation? {
    locations.count == 1 && stillLocked.isEmpty && unreadable.isEmpty ? locations[0] : nil
  }
}
