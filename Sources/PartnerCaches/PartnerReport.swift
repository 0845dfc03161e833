// SPDX-License-Identifier: MIT

package import FoundationEssentials
import KeychainGroupModel
package import SecretStoreCache
package import UnifiedCache

/// What there is of each tool: its caches, who is signed in, and what is unsafe about them.
///
/// Nothing is unlocked or changed, and no lock is taken. It holds no token.
package struct PartnerReport: Sendable {
  /// An account in a cache.
  package struct SignIn: Sendable {
    package let identifier: String
    package let username: String
    package let environment: String
    package let tenant: String
    /// The client; `nil` when the cache holds the account alone.
    package let clientID: String?
    /// When the last access token expires.
    package let expiresOn: Date?
    package let hasRefreshToken: Bool
  }

  package let partner: Partner
  package let caches: [PartnerCache]
  package let warnings: [String]

  package var isThere: Bool { caches.contains(where: \.isThere) }

  /// Looks for the caches of tools.
  ///
  /// - Parameter progress: Receives the number of tools that were looked at, and of all.
  package static func all(
    of partners: [Partner], in store: SecretStore, progress report: WorkProgress.Report? = nil
  ) async throws -> [PartnerReport] {
    var progress = WorkProgress(of: partners.count, report)
    var reports: [PartnerReport] = []
    // A keyring daemon that hangs is asked once.
    var hang: SecretStoreError?
    for partner in partners {
      var caches: [PartnerCache] = []
      for place in partner.places {
        let found: PartnerCache
        if let hang, place.item != nil {
          found = .unreadable(place, hang)
        } else {
          found = try await settled(place, in: store)
        }
        if case .unreadable(let error) = found.state, error.code == .timedOut { hang = error }
        // Several tools keep one item: it is a tool's if one of its files is there or it has an entry of it.
        let isShared = place.item != nil && partners.contains { $0.name != partner.name && $0.shares(place) }
        caches.append(isShared && !partner.uses(found) ? .absent(place) : found)
      }
      reports.append(PartnerReport(partner: partner, caches: caches, warnings: warnings(of: caches)))
      progress.finishItem()
    }
    return reports
  }

  /// Reads a cache, up to three times while a tool may be writing its file.
  private static func settled(_ place: Partner.Place, in store: SecretStore) async throws -> PartnerCache {
    for _ in 1...2 {
      let cache = try await PartnerCache.find(place, in: store)
      guard case .unreadable(let error) = cache.state, error.code == .invalidFile else { return cache }
      try await Task.sleep(for: .milliseconds(100))
    }
    return try await PartnerCache.find(place, in: store)
  }

  private static func warnings(of caches: [PartnerCache]) -> [String] {
    var warnings: [String] = []
    for cache in caches where cache.isThere && cache.place.content == .cache {
      if let path = cache.plainTokens { warnings.append("\(path) holds tokens in plain text.") }
      if case .unreadable(let error) = cache.state { warnings.append(error.detail) }
      if let warning = cache.place.warning { warnings.append(warning) }
    }
    for lock in caches.flatMap(\.place.locks) where !lock.isKept {
      let owner = LockOwner(lock.path)
      if owner.isNoFile {
        warnings.append("The lock file \(lock.path) is no regular file, so that nobody can take the lock.")
      } else if owner.isLeft {
        warnings.append("The lock file \(lock.path) was left behind; the tool may fail until it is removed.")
      }
    }
    return warnings.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension Partner {
  /// Returns whether this tool keeps the same item as a place's.
  fileprivate func shares(_ place: Place) -> Bool {
    places.contains { other in
      other.item?.attributes == place.item?.attributes && other.item?.excluded == place.item?.excluded
        && other.item?.comparesSchema == place.item?.comparesSchema
        && other.item?.schema == place.item?.schema
    }
  }

  /// Returns whether a shared item is this tool's, too.
  fileprivate func uses(_ cache: PartnerCache) -> Bool {
    if cache.plainFile != nil { return true }
    if cache.place.files.contains(where: { FileReader().information($0, followsLink: false) != nil }) {
      return true
    }
    guard let clientID else { return false }
    return cache.document?.credentials.contains { $0.isOf(clientID) } ?? false
  }
}

extension CredentialEntry {
  /// Returns whether the credential is a client's.
  ///
  /// GUIDs are compared without regard to case.
  package func isOf(_ client: String) -> Bool {
    RecordKey.storedClient(clientID) == RecordKey.storedClient(client)
  }
}

extension CacheDocument {
  /// The accounts of the cache by client, sorted by user name.
  package var signIns: [PartnerReport.SignIn] {
    struct Owner: Hashable {
      let account: String
      let environment: String
    }
    func owner(_ identifier: String, _ environment: String) -> Owner {
      Owner(account: HomeAccountID(identifier).compared, environment: CloudEnvironment.canonical(environment))
    }
    var accounts: [Owner: AccountEntry] = [:]
    for account in self.accounts {
      let key = owner(account.homeAccountID, account.environment)
      // The account of the home tenant comes first, and names the user.
      let isHome = account.homeAccountID.hasSuffix(".\(account.realm)")
      if accounts[key] == nil || isHome { accounts[key] = account }
    }
    let users = credentials.filter { !$0.isAppToken }
    for token in users where token.kind.section == .idToken {
      let key = owner(token.homeAccountID, token.environment)
      if accounts[key]?.username.isEmpty != false {
        accounts[key] = AccountEntry(of: token, environment: token.environment)
      }
    }
    let byOwner = Dictionary(grouping: users) { owner($0.homeAccountID, $0.environment) }
    for (key, tokens) in byOwner where accounts[key] == nil {
      accounts[key] = tokens.first.map { AccountEntry(of: $0, environment: $0.environment) }
    }
    return accounts.flatMap { key, account in
      let clients = Dictionary(grouping: byOwner[key] ?? []) { RecordKey.storedClient($0.clientID) }
      func signIn(_ client: String?, _ tokens: [CredentialEntry]) -> PartnerReport.SignIn {
        PartnerReport.SignIn(
          identifier: account.homeAccountID, username: account.username, environment: account.environment,
          tenant: account.realm, clientID: client,
          expiresOn: tokens.filter(\.kind.isAccessToken).compactMap(\.expiresOn).max(),
          hasRefreshToken: tokens.contains { $0.kind.section == .refreshToken })
      }
      return clients.isEmpty ? [signIn(nil, [])] : clients.map { signIn($0, $1) }
    }.sorted {
      (Username($0.username), $0.identifier, $0.clientID ?? "")
        < (Username($1.username), $1.identifier, $1.clientID ?? "")
    }
  }
}
