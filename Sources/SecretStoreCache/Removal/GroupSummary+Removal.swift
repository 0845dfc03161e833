// SPDX-License-Identifier: MIT

extension GroupSummary {
  /// What the removal or the reset of a group removes, and what it leaves; see ``SecretStore/removal(of:)``.
  public struct Removal: Sendable, Hashable {
    /// One collection with items of the group.
    public struct Collection: Sendable, Hashable {
      /// The label that the user sees.
      public let label: String
      /// The number of items in the collection.
      public let count: Int
      /// The number of those items that belong to the group.
      public let ownCount: Int
      /// Whether the whole collection is removed; otherwise the group's items are removed one by one, if it is
      /// unlocked.
      ///
      /// The login and the default collection stay. A collection also stays if it holds items of others, does not have
      /// the group's name, or is locked while the group is open and every password of the group belongs to
      /// another one.
      public let isRemoved: Bool
    }

    /// Every affected collection, sorted by label.
    public let collections: [Collection]
  }
}
