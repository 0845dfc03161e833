// SPDX-License-Identifier: MIT

/// The kinds of record that a group holds.
public enum RecordKind: String, Sendable, Hashable, CaseIterable, Codable {
  /// The group's marker: it names the group's collection and format.
  case group
  /// One account's tokens for one client.
  case credentials
  /// One account's refresh token for a family of clients.
  case family
  /// A client's data that belongs to no account.
  case client
  /// Data of the group as a whole.
  case groupData = "group-data"
  /// One token in ADAL's format.
  case legacy
  /// An app's own secret.
  case secret
  /// The password of the group's collection, kept in the login collection.
  case groupKey = "group-key"
  /// An item that could not be read and was set aside with its full content.
  case damaged
}
