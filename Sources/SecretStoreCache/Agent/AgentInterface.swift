// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The names and values of the agent's D-Bus interfaces; `org.secretstorecache.Agent1.xml` documents them.
package enum AgentInterface {
  /// The agent's bus name, and its interface on the session bus.
  package static let name = "org.secretstorecache.Agent1"
  /// The agent's object on the session bus.
  package static let path: ObjectPath = "/org/secretstorecache/Agent1"
  /// The interface of a group on a private connection.
  package static let groupName = "org.secretstorecache.Group1"
  /// A group's object on a private connection.
  package static let groupPath: ObjectPath = "/org/secretstorecache/Group1"

  /// The prefix of the agent's errors, before the code with a capital letter.
  private static let errors = "org.secretstorecache.Error."

  /// Returns the name of a code's error.
  package static func errorName(_ code: SecretStoreError.Code) -> String {
    errors + code.description.prefix(1).uppercased() + code.description.dropFirst()
  }

  /// Returns the error that a reply of the agent names; `nil` for another program's error.
  static func error(_ name: String?, _ text: String?) -> SecretStoreError? {
    guard let name, let code = SecretStoreError.Code.all.first(where: { errorName($0) == name }) else {
      return nil
    }
    let detail = text.flatMap { $0.hasUnsafeCharacter || $0.utf8.count > 4096 ? nil : $0 }
    return SecretStoreError(code, detail ?? "The agent refused the call.")
  }

  // MARK: Records

  /// Returns a record's key as a dictionary, without the parts that don't apply.
  package static func attributes(_ key: RecordKey) -> [String: String] {
    let parts = [
      "kind": key.kind.rawValue, "account": key.account, "environment": key.environment,
      "client_id": key.clientID, "family_id": key.familyID, "key": key.key,
    ]
    return parts.filter { !$0.value.isEmpty }
  }

  /// Returns the key that a dictionary names; `nil` when it has another part, or the kind is none of ``kinds``.
  package static func key(_ attributes: [String: String]) -> RecordKey? {
    guard let kind = kind(attributes),
      isKnown(attributes, ["account", "environment", "client_id", "family_id", "key"])
    else { return nil }
    return RecordKey(
      kind: kind, account: attributes["account"] ?? "", environment: attributes["environment"] ?? "",
      clientID: attributes["client_id"] ?? "", familyID: attributes["family_id"] ?? "",
      key: attributes["key"] ?? ""
    ).canonical
  }

  /// Returns a query as a dictionary of what it asks for.
  static func attributes(_ query: RecordQuery) -> [String: String] {
    var attributes = ["kind": query.kind.rawValue]
    attributes["account"] = query.account
    attributes["environment"] = query.environment
    attributes["client_id"] = query.clientID
    return attributes
  }

  /// Returns the query that a dictionary names; `nil` as for ``key(_:)``.
  package static func query(_ attributes: [String: String]) -> RecordQuery? {
    guard let kind = kind(attributes), isKnown(attributes, ["account", "environment", "client_id"]) else {
      return nil
    }
    return RecordQuery(
      kind: kind, account: attributes["account"], environment: attributes["environment"],
      clientID: attributes["client_id"]
    ).canonical
  }

  /// The kinds of record that the agent serves.
  ///
  /// The others are the library's own: a group's marker, its collection's password, and what doctor set aside.
  package static let kinds: Set<RecordKind> = [.credentials, .family, .client, .groupData, .legacy, .secret]

  private static func kind(_ attributes: [String: String]) -> RecordKind? {
    attributes["kind"].flatMap(RecordKind.init).flatMap { kinds.contains($0) ? $0 : nil }
  }

  private static func isKnown(_ attributes: [String: String], _ names: Set<String>) -> Bool {
    attributes.allSatisfy { name, value in
      (name == "kind" || names.contains(name)) && value.utf8.count <= 4096 && !value.hasUnsafeCharacter
    }
  }

  /// The type of a record: its key, its content, and the reason why it can't be read.
  package static let recordType = "(a{ss}ays)"

  /// Makes a list of records.
  package static func list(_ records: [Record]) throws -> Variant {
    try .list(
      of: recordType,
      records.map { record in
        switch record.content {
        case .success(let document):
          try .tuple([.strings(attributes(record.key)), .bytes(document.serialized()), .string("")])
        case .failure(let error):
          try .tuple([.strings(attributes(record.key)), .bytes([]), .string(error.detail)])
        }
      })
  }

  /// Reads a record of a list.
  static func record(_ reply: Reply) -> Record? {
    guard let key = reply.pairs(at: 0).flatMap(key), let bytes = reply.bytes(at: 1),
      let reason = reply.text(at: 2)
    else { return nil }
    return reason.isEmpty ? Record(key: key, bytes: bytes) : Record(key: key, unreadable: reason)
  }
}
