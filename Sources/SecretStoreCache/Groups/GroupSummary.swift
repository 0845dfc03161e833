// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// One access group as it lies in the Secret Service.
public struct GroupSummary: Sendable, Hashable {
  /// The group; `nil` for one that is locked and that the login collection knows nothing of, and for a locked
  /// collection that may hold groups, where the provider does not tell.
  public let group: AccessGroup?
  /// The label of the collection that the group is in.
  public let collection: String
  /// Where the group is placed; `nil` while it is locked.
  public let placement: GroupPlacement?
  /// Whether the group's collection is locked.
  public let isLocked: Bool
}
