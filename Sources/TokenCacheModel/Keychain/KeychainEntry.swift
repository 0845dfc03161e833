// SPDX-License-Identifier: MIT

import FoundationEssentials

/// An entry of a document that is an item of the keychain.
protocol KeychainEntry: Sendable {
  /// The kinds of record that hold such entries.
  static var recordKinds: [RecordKind] { get }
  /// Whether some of them have no owner, and are among the group's leftovers.
  static var canBeLeftOver: Bool { get }
  /// Whether their items' accounts name the account that they belong to.
  static var isNamedByAccount: Bool { get }
  /// Whether their items' services name the client or family that they belong to.
  static var isNamedByOwner: Bool { get }
  /// A document's entries that are items.
  static func entries(in document: CacheDocument) -> [Self]
  /// Removes a document's entries that fit.
  static func remove(from document: inout CacheDocument, where fits: (Self) -> Bool)

  /// The key of its item.
  var keychainKey: KeychainItemKey { get }
  /// Whose it is, in the form in which ids are compared.
  var comparedAccount: String { get }
  /// When it was stored; `nil` when it doesn't say.
  var storedAt: Date? { get }
  /// Whether two entries are one, perhaps of two records.
  func isSame(as other: Self) -> Bool
  /// This entry over an older one.
  func merged(over older: Self) -> Self
}

extension KeychainEntry {
  static var canBeLeftOver: Bool { false }
  static var isNamedByAccount: Bool { true }
  static var isNamedByOwner: Bool { true }
  var storedAt: Date? { nil }

  /// Whether two entries are one item of one account.
  func isSameItem(as other: Self) -> Bool {
    keychainKey.item == other.keychainKey.item && comparedAccount == other.comparedAccount
  }
}

extension KeychainItemKey {
  /// What names the item, without what look-ups narrow their results by.
  var item: KeychainItemKey { KeychainItemKey(account: account, service: service) }
}

extension CredentialEntry: KeychainEntry {
  static let recordKinds: [RecordKind] = [.credentials, .family]

  /// A document's credentials; what stands in place of a removed one is none.
  static func entries(in document: CacheDocument) -> [CredentialEntry] {
    document.credentials.filter { !$0.isTombstone }
  }

  static func remove(from document: inout CacheDocument, where fits: (CredentialEntry) -> Bool) {
    document.removeCredentials(where: fits)
  }

  var keychainKey: KeychainItemKey { KeychainItemKey(of: self) }
  var comparedAccount: String { identity.homeAccountID }
  var storedAt: Date? { modifiedAt }
  func isSame(as other: CredentialEntry) -> Bool { identity == other.identity }
  func merged(over older: CredentialEntry) -> CredentialEntry { self }
}

extension AccountEntry: KeychainEntry {
  static let recordKinds: [RecordKind] = [.credentials]
  static let canBeLeftOver = true
  static let isNamedByOwner = false

  static func entries(in document: CacheDocument) -> [AccountEntry] { document.accounts }

  static func remove(from document: inout CacheDocument, where fits: (AccountEntry) -> Bool) {
    for (name, value) in document[.account] where AccountEntry(value).map(fits) == true {
      document[.account][name] = nil
    }
  }

  var keychainKey: KeychainItemKey { KeychainItemKey(of: self) }
  var comparedAccount: String { RecordKey.comparedAccount(homeAccountID) }
}

extension AppMetadataEntry: KeychainEntry {
  static let recordKinds: [RecordKind] = [.credentials, .client]
  static let isNamedByAccount = false

  static func entries(in document: CacheDocument) -> [AppMetadataEntry] { document.appMetadata }

  static func remove(from document: inout CacheDocument, where fits: (AppMetadataEntry) -> Bool) {
    for (name, value) in document[.appMetadata] where AppMetadataEntry(value).map(fits) == true {
      document[.appMetadata][name] = nil
    }
  }

  var keychainKey: KeychainItemKey { KeychainItemKey(of: self) }
  var comparedAccount: String { "" }
}
