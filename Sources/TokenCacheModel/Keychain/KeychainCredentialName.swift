// SPDX-License-Identifier: MIT

/// The parts from which the service and the generic attribute of a credential's keychain item are made.
///
/// A part that is `nil` is left out with its delimiter, save for realm and target, whose delimiters always
/// stand.
struct KeychainCredentialName {
  let kind: CredentialKind
  /// The family or the client.
  let owner: String
  var realm: String?
  var applicationIdentifier: String?
  var target: String?
  var tokenType: String?
  var requestedClaims: String?

  private var genericParts: [String] {
    [kind.rawValue, owner, realm ?? ""] + [applicationIdentifier].compactMap(\.self)
  }

  /// `<kind>-<owner>-<realm>[-<application identifier>]`.
  var generic: String { KeychainText.joined(genericParts) }

  /// `<generic>-<target>[-<token type>][|<digest of the claims>]`.
  var service: String {
    let service = KeychainText.joined(genericParts + [target ?? ""] + [tokenType].compactMap(\.self))
    return claimsDigest.map { "\(service)|\($0)" } ?? service
  }

  /// The first seven hexadecimal digits of the claims' SHA-256; `nil` without claims.
  private var claimsDigest: String? {
    guard let requestedClaims, !KeychainText.isBlank(requestedClaims) else { return nil }
    return String(Digest.hex(KeychainText.normalized(requestedClaims)).prefix(7))
  }

  /// The part in the client's place: the family when there is one.
  ///
  /// A blank family counts as none: all clients' tokens would be one item otherwise.
  static func owner(clientID: String?, familyID: String?) -> String? {
    if let familyID, !KeychainText.isBlank(familyID) { return familyID }
    return clientID
  }
}

extension KeychainCredentialName {
  /// The name of an entry's item, of the members that its kind has in a keychain.
  ///
  /// Other languages' entries have more: a refresh token's scopes, for one, which are no part of its name.
  init(of credential: CredentialEntry) {
    let isRefreshToken = credential.kind.section == .refreshToken
    kind = credential.kind
    let familyID = isRefreshToken ? credential.familyID : nil
    owner = Self.owner(clientID: credential.clientID, familyID: familyID) ?? ""
    if !isRefreshToken { realm = credential.realm }
    guard credential.kind.isAccessToken else { return }
    applicationIdentifier = credential.applicationIdentifier
    target = credential.fields["target"]?.stringValue
    requestedClaims = credential.requestedClaims
    tokenType = credential.tokenType
    if kind == .accessToken, tokenType.map(KeychainText.normalized) == "bearer" { tokenType = nil }
  }
}
