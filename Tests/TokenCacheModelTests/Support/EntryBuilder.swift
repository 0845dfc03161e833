// SPDX-License-Identifier: MIT

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Builds entries and documents from their members.
enum EntryBuilder {
  static func fields(
    _ kind: CredentialKind, secret: String = "secret", changing changes: JSONObject = [:]
  ) -> JSONObject {
    var fields: JSONObject = [
      "credential_type": .string(kind.rawValue), "home_account_id": "uid.utid",
      "environment": "login.windows.net", "client_id": "client", "secret": .string(secret),
    ]
    if kind.section != .refreshToken { fields["realm"] = "tenant" }
    if kind.isAccessToken {
      fields["target"] = "s2 s1"
      fields["cached_at"] = "1700000000"
      fields["expires_on"] = "1700003600"
    }
    return fields.changed(by: changes)
  }

  static func credential(
    _ kind: CredentialKind, secret: String = "secret", changing changes: JSONObject = [:]
  ) -> CredentialEntry? {
    let fields = fields(kind, secret: secret, changing: changes)
    return CredentialEntry(.object(fields), section: kind.section)
  }

  /// A document with raw entries in one section.
  static func document(_ section: CacheSection, _ entries: JSONObject) -> CacheDocument {
    var document = CacheDocument()
    document[section] = entries
    return document
  }
}
