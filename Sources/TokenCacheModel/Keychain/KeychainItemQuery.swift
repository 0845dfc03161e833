// SPDX-License-Identifier: MIT

/// A look-up in a keychain: attributes that the items found have, each of which may be left open.
///
/// A query is for reading. What is to be changed or deleted is named by a ``KeychainItemKey``, which leaves
/// nothing open; a query that leaves everything open finds every item.
///
/// Its description shows none of it.
public struct KeychainItemQuery: Sendable {
  /// The account, or `nil` for any.
  public let account: String?
  /// The service, or `nil` for any.
  public let service: String?
  /// The generic attribute, or `nil` for any.
  public let generic: String?
  /// The type, or `nil` for any.
  public let type: Int?

  init(account: String? = nil, service: String? = nil, generic: String? = nil, type: Int? = nil) {
    self.account = account
    self.service = service
    self.generic = generic
    self.type = type
  }

  /// Whether the query names one item, so that what it finds needs no further selection.
  public var isExactMatch: Bool { account != nil && service != nil }

  /// Whether the item of a key has all the attributes that are given.
  public func matches(_ key: KeychainItemKey) -> Bool {
    KeychainItemKey(
      account: account ?? key.account, service: service ?? key.service, generic: generic ?? key.generic,
      type: type ?? key.type) == key
  }
}

extension KeychainItemQuery: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "KeychainItemQuery(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
