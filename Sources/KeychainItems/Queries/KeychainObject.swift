// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// A JSON object that is a keychain item of its own, as a record of the group stores it.
struct KeychainObject {
  private static let member = "keychain_item"

  let key: KeychainItemKey
  let value: JSONObject

  init(key: KeychainItemKey, value: JSONObject) {
    self.key = key
    self.value = value
  }

  /// Reads an item; returns `nil` when the document holds none.
  ///
  /// - Throws: `corruptItem` when the item is malformed.
  init?(in document: CacheDocument?) throws(SecretStoreError) {
    guard let member = document?[member: Self.member] else { return nil }
    guard let stored = member.objectValue, let service = stored["service"]?.stringValue,
      let value = stored["value"]?.objectValue
    else { throw SecretStoreError(.corruptItem, "The stored JSON object has no service or no value.") }
    self.key = KeychainItemKey(
      account: stored["account"]?.stringValue ?? "", service: service,
      generic: stored["generic"]?.stringValue, type: stored["type"]?.textValue.flatMap { Int($0) })
    self.value = value
  }

  func write(to document: inout CacheDocument) {
    var stored = document[member: Self.member]?.objectValue ?? [:]
    stored["account"] = .string(key.account)
    stored["service"] = .string(key.service)
    stored["generic"] = key.generic.map(JSONValue.string)
    stored["type"] = key.type.map { JSONValue(integerLiteral: $0) }
    stored["value"] = .object(value)
    document[member: Self.member] = .object(stored)
  }

  /// Returns the key of the record for an item; the account and the service name it, whatever they contain.
  static func record(of key: KeychainItemKey) -> RecordKey {
    .groupData(
      RecordKey.keychainObjectPrefix + Digest.hex("\(key.account.utf8.count):\(key.account)\(key.service)"))
  }

  /// Whether a key's type is reserved for items that are stored in another way.
  static func hasForeignType(_ key: KeychainItemKey) -> Bool {
    let types =
      KeychainAccountType.allCases.map(\.keychainType) + CredentialKind.allCases.map(\.keychainType)
      + [KeychainItemKey.appMetadataType, KeychainItemKey.accountMetadataType]
    return key.type.map(types.contains) ?? false
  }
}
