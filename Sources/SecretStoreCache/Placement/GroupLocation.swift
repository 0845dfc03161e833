// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The location of a group, on the daemon that is running now.
package struct GroupLocation: Sendable, Equatable {
  /// The collection for new items; it was unlocked when it was found.
  package let collection: ObjectPath
  package let placement: GroupPlacement

  package init(collection: ObjectPath, placement: GroupPlacement) {
    self.collection = collection
    self.placement = placement
  }
}

/// The location that was found to be the group's own among its claims, on the daemon that is running now.
struct ProvenLocation: Sendable {
  let claims: GroupClaims
  let location: GroupLocation
  let daemon: String
}

/// A collection about which something was found out for a group, on the daemon that is running now.
struct GroupCollection: Hashable, Sendable {
  let collection: ObjectPath
  let group: AccessGroup
  let daemon: String
}
