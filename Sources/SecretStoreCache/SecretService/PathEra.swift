// SPDX-License-Identifier: MIT

/// How long an object path that was looked at still names the same object.
///
/// gnome-keyring gives the paths of a deleted collection's items to those of the next collection of that name. It tells
/// of a deletion before it answers any later call: while the era is the same, so is the object.
struct PathEra: Sendable, Equatable {
  let daemon: String
  let session: ObjectPath?
  /// How many collections were deleted since the session began.
  let deletions: Int
}
