// SPDX-License-Identifier: MIT

/// Where a group is, on the daemon that is running now.
struct GroupLocation: Sendable {
  /// The collection that new items go to; it is unlocked, or was when this was found.
  let collection: ObjectPath
  let placement: GroupPlacement
}
