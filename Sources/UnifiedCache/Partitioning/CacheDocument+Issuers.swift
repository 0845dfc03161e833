// SPDX-License-Identifier: MIT

import StrictJSON

/// The issuers of the entries of a whole cache.
///
/// Other MSALs identify an OpenID provider by its host only.
extension CacheDocument {
  /// Puts every entry outside Microsoft's clouds under its issuer, if the cache states the issuer.
  ///
  /// - Parameter isLearned: Whether a host belongs to an Azure AD cloud that the group has learned.
  mutating func nameIssuers(isLearned: (String) -> Bool) {
    func isMicrosoftHost(_ host: String) -> Bool { CloudEnvironment.isMicrosoftHost(host) || isLearned(host) }
    let evidence = IssuerEvidence(self, isMicrosoftHost: isMicrosoftHost)
    changeEntries { section, fields in
      guard let host = fields["environment"]?.stringValue, !isMicrosoftHost(host),
        Self.isReadable(.object(fields), section)
      else { return }
      let environment = evidence.environment(of: fields, in: section, at: host)
      if environment != host { fields["environment"] = .string(environment) }
      if fields[Self.issuerMember] != nil { fields[Self.issuerMember] = nil }
    }
  }

  /// Puts entries under their issuer's host, where other MSALs look for them, and stores the issuer in a member.
  ///
  /// - Returns: The number of tokens that stay under their issuers, because another MSAL would confuse their accounts.
  mutating func nameHosts() -> Int {
    let ambiguous = ambiguousOwners
    var skipped = 0
    var hosted: [(CacheSection, JSONObject, KeyOrigin)] = []
    for section in CacheSection.allCases {
      var entries = self[section]
      entries.removeAll { key, value in
        guard var fields = value.objectValue, let environment = fields["environment"]?.stringValue,
          Self.isReadable(value, section)
        else { return false }
        if let host = Issuer.hostOfUnknown(environment) {
          fields["environment"] = .string(host)
        } else if let issuer = Issuer(environment) {
          let isAppMetadata = section == .appMetadata
          let name = fields[isAppMetadata ? "client_id" : "home_account_id"]?.stringValue ?? ""
          let owner = PeerOwner(name, issuer.hostName, isClient: isAppMetadata)
          if ambiguous.contains(owner) {
            if CacheSection.credentials.contains(section) { skipped += 1 }
            return false
          }
          fields["environment"] = .string(issuer.hostName)
          fields[Self.issuerMember] = .string(issuer.text)
        } else {
          return false
        }
        hosted.append((section, fields, KeyOrigin(key, at: environment)))
        return true
      }
      self[section] = entries
    }
    if hosted.isEmpty { return skipped }
    var indexed = IndexedDocument(self)
    for (section, fields, origin) in hosted {
      switch section {
      case .account: if let entry = AccountEntry(.object(fields)) { indexed.put(entry.from(origin)) }
      case .appMetadata: if let entry = AppMetadataEntry(.object(fields)) { indexed.put(entry.from(origin)) }
      default:
        if let entry = CredentialEntry(.object(fields), section: section) { indexed.put(entry.from(origin)) }
      }
    }
    self = indexed.document
    return skipped
  }

  /// An account or a client as other MSALs identify it: by name and host.
  private struct PeerOwner: Hashable {
    let name: String
    let host: String
    let isClient: Bool

    init(_ name: String, _ host: String, isClient: Bool) {
      self.name = isClient ? RecordKey.storedClient(name) : HomeAccountID(name).compared
      self.host = host
      self.isClient = isClient
    }
  }

  /// The accounts and clients that exist at several issuers of one host, which another MSAL would take for one.
  private var ambiguousOwners: Set<PeerOwner> {
    var environments: [PeerOwner: Set<String>] = [:]
    func add(_ name: String, _ environment: String, isClient: Bool = false) {
      let host = Issuer.hostOfUnknown(environment) ?? environment
      let hostName = (Issuer(host) ?? Issuer("https://\(host)"))?.hostName ?? host
      let owner = PeerOwner(name, hostName, isClient: isClient)
      environments[owner, default: []].insert(CloudEnvironment.canonical(environment))
    }
    for credential in credentials { add(credential.homeAccountID, credential.environment) }
    for account in accounts { add(account.homeAccountID, account.environment) }
    for metadata in appMetadata { add(metadata.clientID, metadata.environment, isClient: true) }
    return Set(environments.filter { $0.value.count > 1 }.keys)
  }
}
