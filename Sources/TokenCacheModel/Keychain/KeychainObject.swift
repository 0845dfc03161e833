// SPDX-License-Identifier: MIT

/// A JSON object that is an item of its own, as a record of the group keeps it.
struct KeychainObject {
  private static let member = "keychain_item"
  private static let prefix = "keychain-"

  let key: KeychainItemKey
  let value: JSONObject

  init(key: KeychainItemKey, value: JSONObject) {
    self.key = key
    self.value = value
  }

  /// Reads an item; `nil` when the document holds none, or one that can't be read.
  init?(in document: CacheDocument?) {
    guard let stored = document?[member: Self.member]?.objectValue,
      let service = stored["service"]?.stringValue, let value = stored["value"]?.objectValue
    else { return nil }
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

  /// The record of a key: account and service name the item, whatever they contain.
  static func record(of key: KeychainItemKey) -> RecordKey {
    .groupData(prefix + Digest.hex("\(key.account.utf8.count):\(key.account)\(key.service)"))
  }

  /// Whether a record of the group is one of these.
  static func isRecord(_ key: RecordKey) -> Bool { key.key.hasPrefix(prefix) }

  /// Whether a key's type is that of items that are kept otherwise.
  static func hasForeignType(_ key: KeychainItemKey) -> Bool {
    let types =
      KeychainAccountType.allCases.map(\.keychainType) + CredentialKind.allCases.map(\.keychainType)
      + [KeychainItemKey.appMetadataType, KeychainItemKey.accountMetadataType]
    return key.type.map(types.contains) ?? false
  }
}
