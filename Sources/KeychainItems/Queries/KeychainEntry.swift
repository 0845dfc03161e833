// SPDX-License-Identifier: MIT

import FoundationEssentials
import UnifiedCache

/// A kind of document entry that is also a keychain item.
protocol KeychainEntry: Sendable {
  /// The kinds of record that hold such entries.
  static var recordKinds: [RecordKind] { get }
  /// Whether entries without an owner are kept in the group's leftovers record.
  static var canBeLeftOver: Bool { get }
  /// Whether the item's account attribute contains the account ID.
  static var isNamedByAccount: Bool { get }
  /// Whether the item's service attribute contains the client or the family.
  static var isNamedByOwner: Bool { get }
  /// Returns a document's entries that are keychain items.
  static func entries(in document: CacheDocument) -> [Self]
  /// Removes a document's entries that satisfy the predicate.
  static func remove(from document: inout CacheDocument, where fits: (Self) -> Bool)

  /// The key of the entry's item.
  var keychainKey: KeychainItemKey { get }
  /// The account that the entry belongs to, in the form in which IDs are compared.
  var comparedAccount: String { get }
  /// The time at which the entry was stored; `nil` when it is not recorded.
  var storedAt: Date? { get }
  /// Whether two entries are the same, perhaps in two records.
  func isSame(as other: Self) -> Bool
  /// Returns this entry merged over an older one.
  func merged(over older: Self) -> Self
}

extension KeychainEntry {
  static var canBeLeftOver: Bool { false }
  static var isNamedByAccount: Bool { true }
  static var isNamedByOwner: Bool { true }

  /// Returns an entry's account in the form in which IDs are compared, with the issuer if it has one.
  ///
  /// Keys ignore case and so can't tell two issuers apart whose paths differ by case only.
  static func comparedAccount(_ homeAccountID: String, _ environment: String) -> String {
    let account = HomeAccountID(homeAccountID).compared
    return Issuer.canonical(environment).map { "\(account) \($0)" } ?? account
  }

  var storedAt: Date? { nil }

  /// Whether two entries are the same item of the same account.
  func isSameItem(as other: Self) -> Bool {
    keychainKey.item == other.keychainKey.item && comparedAccount == other.comparedAccount
  }
}

extension KeychainItemKey {
  /// The part of the key that names the item, without the generic attribute and the type.
  var item: KeychainItemKey { KeychainItemKey(account: account, service: service) }
}

extension CredentialEntry: KeychainEntry {
  static let recordKinds: [RecordKind] = [.credentials, .family]

  /// Returns a document's credentials without tombstones.
  static func entries(in document: CacheDocument) -> [CredentialEntry] {
    document.credentials.filter { !$0.isTombstone }
  }

  static func remove(from document: inout CacheDocument, where fits: (CredentialEntry) -> Bool) {
    document.removeCredentials(where: fits)
  }

  var keychainKey: KeychainItemKey { KeychainItemKey(of: self) }
  var comparedAccount: String { Self.comparedAccount(homeAccountID, environment) }
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
    document.removeAccounts(where: fits)
  }

  var keychainKey: KeychainItemKey { KeychainItemKey(of: self) }
  var comparedAccount: String { Self.comparedAccount(homeAccountID, environment) }
}

extension AppMetadataEntry: KeychainEntry {
  static let recordKinds: [RecordKind] = [.credentials, .client]
  static let isNamedByAccount = false

  static func entries(in document: CacheDocument) -> [AppMetadataEntry] { document.appMetadata }

  static func remove(from document: inout CacheDocument, where fits: (AppMetadataEntry) -> Bool) {
    document.removeEntries(of: .appMetadata) { AppMetadataEntry($0).map(fits) == true }
  }

  var keychainKey: KeychainItemKey { KeychainItemKey(of: self) }
  var comparedAccount: String { "" }
}
