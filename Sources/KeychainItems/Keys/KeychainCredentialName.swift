// SPDX-License-Identifier: MIT

import StrictJSON
import UnifiedCache

/// The parts of the service and generic attributes of a credential's keychain item.
///
/// A part that is `nil` is left out with its delimiter. Only the realm and the target always keep their delimiters.
struct KeychainCredentialName {
  let kind: CredentialKind
  /// The family or the client.
  let owner: String
  var realm: String?
  var applicationIdentifier: String?
  var target: String?
  var tokenType: String?
  var requestedClaims: String?
  /// The digest of what distinguishes the credential here and not in a keychain: its partition or user assertion.
  var distinction: String?

  private var genericParts: [String] {
    [kind.rawValue, owner, realm ?? ""] + [applicationIdentifier].compactMap(\.self)
  }

  /// `<kind>-<owner>-<realm>[-<application identifier>]`.
  var generic: String { KeychainText.joined(genericParts) }

  /// `<generic>-<target>[-<token type>][|<digest of the claims>][|<distinction>]`.
  var service: String {
    let service = KeychainText.joined(genericParts + [target ?? ""] + [tokenType].compactMap(\.self))
    return ([service] + [claimsDigest, distinction].compactMap(\.self)).joined(separator: "|")
  }

  /// The first seven hexadecimal digits of the SHA-256 of the claims; `nil` without claims.
  private var claimsDigest: String? {
    guard let requestedClaims, !KeychainText.isBlank(requestedClaims) else { return nil }
    return String(Digest.hex(KeychainText.normalized(requestedClaims)).prefix(7))
  }

  /// Returns the owner part: the family if there is one, else the client.
  ///
  /// A blank family counts as none. Otherwise the tokens of all clients would be one item.
  static func owner(clientID: String?, familyID: String?) -> String? {
    if let familyID, !KeychainText.isBlank(familyID) { return familyID }
    return clientID
  }
}

extension KeychainCredentialName {
  /// Creates the name of an entry's item from the members that its kind has in a keychain.
  ///
  /// Entries of MSAL for other languages may have more members, such as a refresh token's scopes. These are not
  /// part of the name.
  init(of credential: CredentialEntry) {
    let isRefreshToken = credential.kind.section == .refreshToken
    kind = credential.kind
    let familyID = isRefreshToken ? credential.fields["family_id"]?.stringValue : nil
    owner = Self.owner(clientID: credential.clientID, familyID: familyID) ?? ""
    if !isRefreshToken { realm = credential.realm }
    let distinguishing = [credential.cachePartition, credential.userAssertionHash]
    if distinguishing.contains(where: { $0 != nil }) { distinction = CredentialEntry.digest(distinguishing) }
    guard credential.kind.isAccessToken else { return }
    applicationIdentifier = credential.applicationIdentifier
    target = credential.fields["target"]?.stringValue
    requestedClaims = credential.requestedClaims
    tokenType = credential.tokenType
    if kind == .accessToken, tokenType.map(KeychainText.normalized) == "bearer" { tokenType = nil }
  }
}
