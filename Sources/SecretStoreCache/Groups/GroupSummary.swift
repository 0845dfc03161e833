// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// One access group as it is stored in the Secret Service.
public struct GroupSummary: Sendable, Hashable {
  /// The group; `nil` when it is locked and the login collection has no password of it.
  ///
  /// Also `nil` for a locked collection that may hold groups, where the provider does not show which.
  public let group: AccessGroup?
  /// The label of the collection that the group is in.
  public let collection: String
  /// The group's placement; `nil` while it is locked, and where its marker is lost or can't be read.
  public let placement: GroupPlacement?
  /// Whether the group's collection is locked, or the provider can't read its file.
  public let isLocked: Bool

  /// Creates a summary, for tests and previews of an app.
  public init(group: AccessGroup?, collection: String, placement: GroupPlacement?, isLocked: Bool) {
    self.group = group
    self.collection = collection
    self.placement = placement
    self.isLocked = isLocked
  }
}
