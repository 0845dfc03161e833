// SPDX-License-Identifier: MIT

extension CredentialEntry {
  /// What makes two entries the same credential, under whatever key and host alias each was written.
  struct Identity: Hashable {
    let kind: CredentialKind
    let homeAccountID: String
    let environment: String
    let owner: String
    let realm: String
    let scopes: Scopes
    let tokenType: String
    let partition: [String?]
  }

  /// The family for a family's token, else the client.
  var owner: String { kind.section == .refreshToken ? familyID ?? clientID : clientID }

  /// The owner so that a family is no client of the same name.
  var distinctOwner: String {
    if kind.section == .refreshToken, let familyID { return "family \(familyID)" }
    return RecordKey.storedClient(clientID)
  }

  /// Whether the account is Azure AD's or B2C's, whose refresh tokens are good for every tenant; elsewhere the realm
  /// tells a host's issuers apart.
  private var isMicrosofts: Bool {
    CloudEnvironment.isKnown(environment) || RecordKey.isAzureID(homeAccountID.lowercased())
  }

  /// Azure AD's account ids are compared in any case, others exactly.
  var identity: Identity {
    Identity(
      kind: kind,
      homeAccountID: RecordKey.comparedAccount(homeAccountID),
      environment: CloudEnvironment.canonical(environment),
      owner: distinctOwner,
      realm: kind.section == .refreshToken && isMicrosofts ? "" : (realm ?? "").lowercased(),
      scopes: kind.isAccessToken ? answeredScopes : [],
      tokenType: kind.isAccessToken ? scheme : "",
      partition: partition)
  }

  /// The key that the entry is written under: the form of MSAL.NET and MSAL Java.
  ///
  /// Keys are never relied on when a document is read. A refresh token that MSAL Python keeps (it alone writes
  /// `last_modification_time`) has Python's form, by which Python removes and replaces it.
  ///
  /// An access token that other members tell apart gets the part `atext` and a digest of them, as MSAL.NET does.
  var key: String {
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
      let isPythons = fields["last_modification_time"] != nil
      parts = [
        homeAccountID, environment, credentialType, isPythons ? clientID : owner, "",
        isPythons ? fields["target"]?.stringValue ?? "" : "",
      ]
    default:
      parts = [homeAccountID, environment, credentialType, clientID, realm ?? "", ""]
    }
    return parts.joined(separator: "-").lowercased()
  }

  /// The members that this version writes itself, and so does not carry over from an entry it replaces.
  private static let ownFields: Set<String> = [
    "credential_type", "home_account_id", "environment", "client_id", "secret", "realm", "target",
    "family_id", "token_type", "cached_at", "expires_on", "extended_expires_on", "ext_expires_on",
    "refresh_on",
    "requested_default", "last_modification_time",
  ]

  /// This entry with the members of the entry it replaces that this version knows nothing of.
  func keepingUnknownFields(of replaced: CredentialEntry) -> CredentialEntry {
    var merged = self
    for (name, value) in replaced.fields where !Self.ownFields.contains(name) && fields[name] == nil {
      merged.fields[name] = value
    }
    return merged
  }
}
