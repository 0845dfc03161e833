// SPDX-License-Identifier: MIT

/// Where an entry stands in a keychain: the four attributes that MSAL for iOS and macOS gives an item.
///
/// A key names one item, by ``account`` and ``service``; ``generic`` and ``type`` are what look-ups narrow
/// their results by. Keys are made and compared, never taken apart: their parts may contain the delimiter.
///
/// ```swift
/// let keys = document.credentials.map { KeychainItemKey(of: $0) }
/// ```
///
/// Texts are compared byte by byte, as a store compares them. The description shows none of them: accounts'
/// keys hold user names.
public struct KeychainItemKey: Sendable {
  /// The item's account: for credentials and accounts, who in which environment.
  public let account: String
  /// The item's service: which credential, tenant or client it is.
  public let service: String
  /// The item's generic attribute, whose bytes are this text's UTF-8; `nil` for an item without one.
  public let generic: String?
  /// The item's type; `nil` for an item without one.
  public let type: Int?

  /// Makes a key from its stored values, for stores that read them back.
  ///
  /// Everybody else makes keys of entries, which put each value in its stored form.
  public init(account: String, service: String, generic: String? = nil, type: Int? = nil) {
    self.account = account
    self.service = service
    self.generic = generic
    self.type = type
  }
}

extension KeychainItemKey: Hashable {
  /// Two keys are equal when they have the same attributes, byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    left.type == right.type && JSONText.equal(left.account, right.account)
      && JSONText.equal(left.service, right.service)
      && left.generic.map(JSONText.init) == right.generic.map(JSONText.init)
  }

  /// Hashes the attributes that name the item.
  public func hash(into hasher: inout Hasher) {
    JSONText.hash(account, into: &hasher)
    JSONText.hash(service, into: &hasher)
  }
}

extension KeychainItemKey: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "KeychainItemKey(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
