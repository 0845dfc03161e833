// SPDX-License-Identifier: MIT

/// The kinds of record that a group holds.
public enum RecordKind: String, Sendable, Hashable, CaseIterable {
  /// The marker: which collection is the group's, and in which format.
  case group
  /// One account's tokens for one client.
  case credentials
  /// One account's refresh token for a family of clients.
  case family
  /// What belongs to a client without an account.
  case client
  /// What belongs to the group as a whole.
  case groupData = "group-data"
  /// One token of ADAL's.
  case legacy
  /// An app's own secret.
  case secret
  /// The password of the group's collection, kept in the login collection.
  case groupKey = "group-key"
}
