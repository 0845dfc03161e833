// SPDX-License-Identifier: MIT

import StrictJSON

extension CredentialEntry {
  /// The identity of a credential, independent of its key and of the host alias that it was written under.
  package struct Identity: Hashable {
    let kind: CredentialKind
    let homeAccountID: String
    let environment: String
    let owner: JSONText
    let realm: String
    let scopes: Scopes
    let tokenType: String
    let partition: [String?]
  }

  /// The family ID of a family refresh token, else the client ID.
  package var owner: String { kind.section == .refreshToken ? familyID ?? clientID : clientID }

  /// The owner in a form that distinguishes a family from a client of the same name.
  package var distinctOwner: String {
    if kind.section == .refreshToken, let familyID { return "family \(familyID)" }
    return RecordKey.storedClient(clientID)
  }

  /// Whether the account belongs to Azure AD or B2C, where one refresh token serves all tenants.
  private var isMicrosoftHost: Bool {
    CloudEnvironment.isKnown(environment) || HomeAccountID(homeAccountID).isAzureAD
  }

  /// The tenant as it is compared.
  ///
  /// With an issuer as the environment it is empty, whatever other MSALs store as the realm.
  package var comparedRealm: String {
    Issuer.canonical(environment) == nil ? (realm ?? "").lowercased() : ""
  }

  /// The identity of the credential.
  ///
  /// Azure AD account IDs are compared without regard to case, others exactly.
  package var identity: Identity {
    Identity(
      kind: kind,
      homeAccountID: HomeAccountID(homeAccountID).compared,
      environment: CloudEnvironment.canonical(environment),
      owner: JSONText(distinctOwner),
      realm: kind.section == .refreshToken && isMicrosoftHost ? "" : comparedRealm,
      scopes: kind.isAccessToken ? satisfiedScopes : [],
      tokenType: kind.isAccessToken ? scheme : "",
      partition: partition)
  }

  /// The key of an entry that came with no known MSAL's key, in the form of MSAL.NET and MSAL Java.
  ///
  /// A refresh token from MSAL Python gets a key in Python's form. It is recognized by `last_modification_time`, which
  /// only MSAL Python writes.
  ///
  /// If further members distinguish an access token (see `partition`), its key has the credential type `atext` and a
  /// digest of those members, as in MSAL.NET. The other keys end in such a digest only for a user assertion.
  package var key: String {
    var credentialType = kind.rawValue
    var parts: [String]
    switch kind.section {
    case .accessToken:
      if !partition.isEmpty { credentialType = "atext" }
      parts = [
        homeAccountID, environment, credentialType, clientID, realm ?? "",
        fields["target"]?.stringValue ?? "",
      ]
      if !scheme.isEmpty { parts.append(scheme) }
      if !partition.isEmpty { parts.append(Self.digest(partition)) }
    case .refreshToken:
      let isFromMSALPython = fields["last_modification_time"] != nil
      parts = [
        homeAccountID, environment, credentialType, isFromMSALPython ? clientID : owner, "",
        isFromMSALPython ? fields["target"]?.stringValue ?? "" : "",
      ]
    default:
      parts = [homeAccountID, environment, credentialType, clientID, realm ?? "", ""]
    }
    if userAssertionHash != nil, kind.section != .accessToken { parts.append(Self.digest(partition)) }
    return parts.joined(separator: "-").lowercased()
  }

  /// The key in MSAL Python's form, by which Python replaces and removes the entry.
  package var pythonKey: String {
    func text(_ name: String) -> String { fields[name]?.stringValue ?? "" }
    let extended = text("ext_cache_key")
    var parts = [homeAccountID, environment]
    switch kind.section {
    case .accessToken:
      parts += [extended.isEmpty ? "AccessToken" : "atext", clientID, text("realm"), text("target")]
      if !extended.isEmpty { parts.append(extended) }
    case .refreshToken: parts += ["RefreshToken", clientID, "", text("target")]
    default: parts += ["IdToken", clientID, text("realm"), ""]
    }
    return parts.joined(separator: "-").lowercased()
  }

  /// The members that this version writes itself and therefore does not copy from a replaced entry.
  private static let ownFields: Set<String> = [
    "credential_type", "home_account_id", "environment", "client_id", "secret", "realm", "target",
    "family_id", "token_type", "cached_at", "expires_on", "extended_expires_on", "ext_expires_on",
    "refresh_on",
    "requested_default", "last_modification_time",
  ]

  /// Returns this entry with those members of the replaced entry that this version doesn't know.
  package func keepingUnknownFields(of replaced: CredentialEntry) -> CredentialEntry {
    var merged = self
    for (name, value) in replaced.fields where !Self.ownFields.contains(name) && fields[name] == nil {
      merged.fields[name] = value
    }
    return merged
  }
}
