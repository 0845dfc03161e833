// SPDX-License-Identifier: MIT

public import UnifiedCache

/// A keychain look-up: the attributes that the items must have, each of which may be left open.
///
/// A query is for reading only. To change or remove an item, name it with a ``KeychainItemKey``. A query without
/// attributes matches every item.
///
/// The description is redacted.
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

  /// Whether the query names one item, so that its results need no further filtering.
  public var isExactMatch: Bool { account != nil && service != nil }

  /// Returns whether a key has all attributes of the query.
  public func matches(_ key: KeychainItemKey) -> Bool {
    KeychainItemKey(
      account: account ?? key.account, service: service ?? key.service, generic: generic ?? key.generic,
      type: type ?? key.type) == key
  }
}

extension KeychainItemQuery: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "KeychainItemQuery(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
