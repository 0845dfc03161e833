// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// The stored form of a secret, as JSON like every other item of a group.
///
/// A secret in UTF-8 is stored as text, so that the user can read it in Passwords and Keys. Any other secret is stored
/// as base64, and so is a long text whose JSON form would be longer than base64.
struct SecretDocument {
  private var fields: JSONObject

  /// Reads the stored form; `nil` when the document holds no secret.
  init?(_ document: CacheDocument?) {
    guard let fields = document?[member: CacheDocument.secretMember]?.objectValue,
      fields["service"]?.stringValue != nil
    else {
      return nil
    }
    self.fields = fields
  }

  /// Creates the stored form of a new secret.
  init(_ name: SecretName, at now: Date) {
    fields = ["service": .string(name.service), "account": .string(name.account)]
    fields["created_at"] = UnixTime.value(now)
  }

  /// Sets the secret and, unless it is `nil`, the label.
  mutating func set(_ secret: Secret, label: String?, at now: Date) {
    let text = Self.isShortest(asText: secret) ? secret.text : nil
    fields["text"] = text.map(JSONValue.string)
    fields["base64"] = text == nil ? .string(secret.data.base64EncodedString()) : nil
    if let label { fields["label"] = .string(label) }
    fields["modified_at"] = UnixTime.value(now)
  }

  /// Returns whether a secret of more than 65,536 bytes is no longer as JSON text than as base64; `true` for shorter
  /// ones.
  ///
  /// Every back end limits the size of a record. A control character takes six bytes in JSON. So does a brace, which
  /// some back ends can't store unescaped.
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

  func write(to document: inout CacheDocument) {
    document[member: CacheDocument.secretMember] = .object(fields)
  }

  /// Returns the secret.
  ///
  /// - Throws: `corruptItem` when the stored form has none.
  func secret() throws(SecretStoreError) -> Secret {
    if let text = fields["text"]?.stringValue { return Secret(text) }
    if let data = fields["base64"]?.stringValue.flatMap({ Data(base64Encoded: $0) }) { return Secret(data) }
    throw SecretStoreError(.corruptItem, "The stored item holds no secret.")
  }

  var label: String? { fields["label"]?.stringValue }

  /// The service and account; `nil` when no secret can have them.
  var name: SecretName? {
    try? SecretName(
      service: fields["service"]?.stringValue ?? "", account: fields["account"]?.stringValue ?? "")
  }

  func item(in group: AccessGroup) -> SecretItem {
    SecretItem(
      service: fields["service"]?.stringValue ?? "", account: fields["account"]?.stringValue ?? "",
      label: label, group: group, createdAt: UnixTime.date(fields["created_at"]),
      modifiedAt: UnixTime.date(fields["modified_at"]))
  }
}

extension CacheDocument {
  /// The label of the record's secret; `nil` for a secret without a label and for any other record.
  package var secretLabel: String? { SecretDocument(self)?.label }

  /// The record under which the document's secret is stored; `nil` for any other document.
  package var secretRecord: RecordKey? { SecretDocument(self)?.name?.record }
}
