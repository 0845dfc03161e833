// SPDX-License-Identifier: MIT

extension KeychainItemQuery {
  /// The query for items with the attributes given, each as it is stored.
  ///
  /// It is for items of no known kind, and for libraries that have made the attributes of a look-up already.
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

  /// The query for the item of a key: a generic attribute or a type that the key lacks may be any.
  init(_ key: KeychainItemKey) {
    self.init(account: key.account, service: key.service, generic: key.generic, type: key.type)
  }

  /// The query without the attributes that do not name an item.
  var naming: KeychainItemQuery { KeychainItemQuery(account: account, service: service) }

  /// The records of a kind that may hold what is looked for.
  ///
  /// Azure AD's account ids stand in the account attribute as they stand in the records' keys. Outside Azure AD
  /// a record's key holds the id's digest, so all records are read.
  func records(_ kind: RecordKind) -> RecordQuery {
    guard kind != .client, let home = account.flatMap(Self.azureAccount) else { return .all(kind) }
    return .all(kind, homeAccountID: home)
  }

  /// Whether a record that can't be read may hold entries of a kind that are looked for, as far as its key tells.
  func mayConcern<Entry: KeychainEntry>(_ record: RecordKey, _ kind: Entry.Type) -> Bool {
    if kind.isNamedByAccount, let account, RecordKey.storedAccount(record.account) == record.account {
      if !account.hasPrefix(record.account) { return false }
    }
    let owner = KeychainText.normalized(record.kind == .family ? record.familyID : record.clientID)
    guard kind.isNamedByOwner, !owner.isEmpty, let name = service ?? generic else { return true }
    return name.contains(owner)
  }

  /// The account id that an account attribute begins with, when it is Azure AD's: any other may contain anything.
  private static func azureAccount(_ attribute: String) -> String? {
    let ends = attribute.utf8.indices.reversed().filter { attribute.utf8[$0] == UInt8(ascii: "-") }
    for end in ends {
      let home = String(attribute[..<end])
      if RecordKey.storedAccount(home) == home { return home }
    }
    return nil
  }
}
