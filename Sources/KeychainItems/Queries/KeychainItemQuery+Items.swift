// SPDX-License-Identifier: MIT

import UnifiedCache

extension KeychainItemQuery {
  /// Returns the query for items with the given attributes, each in its stored form.
  ///
  /// Use it for items of no known kind, and in libraries that already have the attributes of a look-up.
  ///
  /// - Parameters:
  ///   - account: The account, or `nil` for any.
  ///   - service: The service, or `nil` for any.
  ///   - generic: The generic attribute, or `nil` for any.
  ///   - type: The type, or `nil` for any.
  public static func items(
    account: String? = nil, service: String? = nil, generic: String? = nil, type: Int? = nil
  ) -> KeychainItemQuery {
    KeychainItemQuery(account: account, service: service, generic: generic, type: type)
  }

  /// Creates the query for a key's item; a generic attribute or type that the key lacks matches any.
  init(_ key: KeychainItemKey) {
    self.init(account: key.account, service: key.service, generic: key.generic, type: key.type)
  }

  /// The query with only the attributes that name an item.
  var naming: KeychainItemQuery { KeychainItemQuery(account: account, service: service) }

  /// Returns the query for the records of a kind that may hold matching entries.
  ///
  /// An account attribute begins with the account ID. For an Azure AD account, records have the same ID in their
  /// keys. Outside Azure AD a record's key holds a digest of the ID, so all records are read.
  func records(_ kind: RecordKind) -> RecordQuery {
    guard kind != .client, let home = account.flatMap(Self.azureAccount) else { return .all(kind) }
    return .all(kind, homeAccountID: home)
  }

  /// Whether a record that can't be read may hold matching entries of a kind, as far as its key shows.
  func mayMatch<Entry: KeychainEntry>(_ record: RecordKey, _ kind: Entry.Type) -> Bool {
    if kind.isNamedByAccount, let account, RecordKey.storedAccount(record.account) == record.account {
      if !account.hasPrefix(record.account) { return false }
    }
    let owner = KeychainText.normalized(record.kind == .family ? record.familyID : record.clientID)
    guard kind.isNamedByOwner, !owner.isEmpty, let name = service ?? generic else { return true }
    return name.contains(owner)
  }

  /// Returns the Azure AD account ID at the start of an account attribute; `nil` for any other account.
  private static func azureAccount(_ attribute: String) -> String? {
    let ends = attribute.utf8.indices.reversed().filter { attribute.utf8[$0] == UInt8(ascii: "-") }
    for end in ends {
      let home = String(attribute[..<end])
      if RecordKey.storedAccount(home) == home { return home }
    }
    return nil
  }
}
