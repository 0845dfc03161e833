// SPDX-License-Identifier: MIT

import StrictJSON

/// The key of an entry in a keychain: the four attributes that MSAL for iOS and macOS gives an item.
///
/// ``account`` and ``service`` name one item; look-ups use ``generic`` and ``type`` to narrow their results. Keys
/// are created and compared but never parsed, because their parts may contain the delimiter.
///
/// ```swift
/// import KeychainItems
/// import TokenCacheModel
///
/// let keys = document.credentials.map { KeychainItemKey(of: $0) }
/// ```
///
/// Strings are compared byte by byte, as a store compares them. The description is redacted: accounts' keys hold
/// user names.
public struct KeychainItemKey: Sendable {
  /// The account attribute: for credentials and accounts, the account ID and the environment.
  public let account: String
  /// The service attribute: the credential, tenant or client.
  public let service: String
  /// The generic attribute, stored as UTF-8; `nil` for an item without one.
  public let generic: String?
  /// The item's type; `nil` for an item without one.
  public let type: Int?

  /// Creates a key from its stored values, for stores that read them back.
  ///
  /// In all other cases create the key from an entry, which converts each value to its stored form.
  public init(account: String, service: String, generic: String? = nil, type: Int? = nil) {
    self.account = account
    self.service = service
    self.generic = generic
    self.type = type
  }
}

extension KeychainItemKey: Hashable {
  /// Returns whether two keys have the same attributes, byte by byte.
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
  /// A fixed text that shows nothing of the content.
  public var description: String { "KeychainItemKey(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RecordKey {
  /// The beginning of ``key`` of a record that holds a JSON object of the keychain view.
  package static let keychainObjectPrefix = "keychain-"

  /// Whether the record holds a JSON object of the keychain view, which belongs to the apps and to no account.
  package var isKeychainObject: Bool { kind == .groupData && key.hasPrefix(Self.keychainObjectPrefix) }
}
