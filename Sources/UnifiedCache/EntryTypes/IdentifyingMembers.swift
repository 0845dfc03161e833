// SPDX-License-Identifier: MIT

import KeychainGroupModel
package import StrictJSON

/// The members of entries that are identifiers, which become attributes and labels: they must not hold control
/// characters or long runs of combining marks, nor in a file the entry's own token.
///
/// Display names such as `username` are not identifiers and may hold any character. Code that prints them to a
/// terminal must escape them.
package struct IdentifyingMembers {
  private let names: Set<String>

  package static let credential = IdentifyingMembers(names: [
    "credential_type", "home_account_id", "environment", "client_id", "realm", "family_id", "target",
    "requested_default", "token_type", "tokenType", "application_cache_identifier", "kid", "key_id", "keyid",
    "keyId", "bound_device_id", "ext_cache_key", "redirect_uri", "enrollment_id", "user_assertion_hash",
    "cache_partition",
  ])

  package static let account = IdentifyingMembers(names: [
    "home_account_id", "environment", "realm", "local_account_id", "alternative_account_id", "authority_type",
  ])

  package static let appMetadata = IdentifyingMembers(names: ["client_id", "environment", "family_id"])

  package static let adal = IdentifyingMembers(names: [
    "authority", "resource", "client_id", "user_id", "home_account_id", "application_identifier", "family_id",
    "unique_id", "tenant_id", "on_behalf_of", "subject", "identity_provider", "token_type",
  ])

  /// The members of entries, in either format, that are tokens.
  private static let tokens = ["secret", "access_token", "refresh_token", "id_token"]

  /// Returns the identifying members of a section's entries.
  package static func of(_ section: CacheSection) -> IdentifyingMembers {
    switch section {
    case .accessToken, .refreshToken, .idToken: credential
    case .account: account
    case .appMetadata: appMetadata
    }
  }

  /// Returns the name of a member with a control character or a long run of combining marks, or `nil` when none has
  /// one.
  package func unsafe(in fields: JSONObject) -> String? {
    fields.first { names.contains($0.key) && $0.value.stringValue?.hasUnsafeCharacter == true }?.key
  }

  /// Returns the name of a member that no entry of a file may have: one that ``unsafe(in:)`` returns, or one that is the
  /// entry's token; `nil` when there is none.
  ///
  /// A server may issue what the client has named itself, such as its ID, as a token. That is stored.
  package func invalid(in fields: JSONObject) -> String? {
    if let name = unsafe(in: fields) { return name }
    // No token is as short as the shortest identifiers are.
    let tokens = Self.tokens.compactMap { fields[$0]?.stringValue }.filter { $0.utf8.count >= 16 }
    return fields.first { name, value in
      guard names.contains(name), name != "credential_type", let text = value.stringValue else {
        return false
      }
      return tokens.contains { JSONText.equal($0, text) }
    }?.key
  }
}
