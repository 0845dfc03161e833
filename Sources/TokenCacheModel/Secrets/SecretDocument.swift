// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// The form in which a secret is stored: JSON, as every other item of a group.
///
/// A secret that is UTF-8 stands as text, so that a person finds it in Passwords and Keys; any other as base64, and so does
/// a long one that JSON makes longer than that.
struct SecretDocument {
  private static let member = "Secret"

  private var fields: JSONObject

  /// Reads the stored form; `nil` when the document holds no secret.
  init?(_ document: CacheDocument?) {
    guard let fields = document?[member: Self.member]?.objectValue, fields["service"]?.stringValue != nil
    else {
      return nil
    }
    self.fields = fields
  }

  /// Makes the stored form of a new secret.
  init(_ name: SecretName, at now: Date) {
    fields = ["service": .string(name.service), "account": .string(name.account)]
    fields["created_at"] = UnixTime.value(now)
  }

  /// Puts a secret in, and a label when one is given.
  mutating func set(_ secret: Secret, label: String?, at now: Date) {
    let text = Self.isShortest(asText: secret) ? secret.text : nil
    fields["text"] = text.map(JSONValue.string)
    fields["base64"] = text == nil ? .string(secret.data.base64EncodedString()) : nil
    if let label { fields["label"] = .string(label) }
    fields["modified_at"] = UnixTime.value(now)
  }

  /// Whether a secret takes no more room as JSON text than as base64; a short one may.
  ///
  /// Every back end has a largest record. A control character takes six bytes, and so does a brace, which some back ends
  /// can't store as it is.
  private static func isShortest(asText secret: Secret) -> Bool {
    if secret.count <= 65_536 { return true }
    let length = secret.data.reduce(0) { length, byte in
      switch byte {
      case 0..<0x20, UInt8(ascii: "{"): length + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): length + 2
      default: length + 1
      }
    }
    return length <= secret.count / 3 * 4
  }

  func write(to document: inout CacheDocument) { document[member: Self.member] = .object(fields) }

  /// The secret.
  ///
  /// - Throws: `corruptItem` when the stored form has none.
  func secret() throws(SecretStoreError) -> Secret {
    if let text = fields["text"]?.stringValue { return Secret(text) }
    if let data = fields["base64"]?.stringValue.flatMap({ Data(base64Encoded: $0) }) { return Secret(data) }
    throw SecretStoreError(.corruptItem, "The stored item holds no secret.")
  }

  var label: String? { fields["label"]?.stringValue }

  func item(in group: AccessGroup) -> SecretItem {
    SecretItem(
      service: fields["service"]?.stringValue ?? "", account: fields["account"]?.stringValue ?? "",
      label: label, group: group, createdAt: UnixTime.date(fields["created_at"]),
      modifiedAt: UnixTime.date(fields["modified_at"]))
  }
}

extension CacheDocument {
  /// The label that an app gave the record's secret; `nil` for every other record.
  package var secretLabel: String? { SecretDocument(self)?.label }
}
