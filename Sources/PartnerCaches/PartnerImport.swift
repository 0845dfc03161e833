// SPDX-License-Identifier: MIT

import KeychainGroupModel
package import SecretStoreCache
package import TokenCacheModel
package import UnifiedCache

/// What an import takes from a tool's caches, read under the tool's locks.
package struct PartnerImport: Sendable {
  /// The accounts with their tokens.
  package let document: CacheDocument
  /// Every account that was found.
  package let hints: [AccountDirectory.Hint]

  /// Reads the caches of a tool; the tool's caches stay as they are.
  ///
  /// - Parameters:
  ///   - account: Only this account.
  ///   - clientID: Only the tokens of this client; the tool's own client by default.
  /// - Throws: `invalidArgument` when the tool has no cache, or the account is not there; `ambiguousAccount` when
  ///   several accounts have its name; `groupLocked` when the cache is in a locked keyring; `invalidFile` when it
  ///   can't be read; `lockTimedOut` when the tool has its lock until the limit; `storageFailed`.
  package init(
    from partner: Partner, in store: SecretStore, account: PartnerAccount?, clientID: String?
  ) async throws {
    let found = try await partner.lockedCaches(in: store)
    var document = CacheDocument()
    for (index, cache) in found.enumerated() {
      guard let one = cache.document else { continue }
      // The partitioning of the import keeps the newest of several entries.
      for section in CacheSection.allCases {
        var entries = document[section]
        for (key, value) in one[section] { entries["\(index) \(key)"] = value }
        document[section] = entries
      }
    }
    if let account { try document.keep(only: account, in: partner) }
    hints = document.signIns.compactMap { signIn in
      AccountDirectory.Hint(
        identifier: signIn.identifier, username: signIn.username, environment: signIn.environment,
        tenant: signIn.tenant, source: partner.name)
    }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    document.keep(client: clientID ?? partner.clientID)
    self.document = document
  }
}

extension Partner {
  /// Reads the caches that are there, under their locks.
  ///
  /// - Throws: `invalidArgument` when there is none, and the error of one that can't be read.
  func lockedCaches(in store: SecretStore) async throws -> [PartnerCache] {
    var places: [Place] = []
    for place in self.places where place.content != .opaque {
      // While the tool writes a file, the file may be empty.
      let hasFile = place.files.contains { FileReader().information($0, followsLink: false) != nil }
      if hasFile {
        places.append(place)
        continue
      }
      let cache = try await PartnerCache.find(place, in: store)
      // A keyring daemon that hangs is asked once.
      if cache.isSilent, let error = cache.error(for: self) { throw error }
      if cache.isThere || cache.isHidden { places.append(place) }
    }
    let lock = try await lock(places)
    defer { lock.release() }
    var caches: [PartnerCache] = []
    for place in places {
      let cache = try await PartnerCache.find(place, in: store)
      if let error = cache.error(for: self) { throw error }
      if cache.isThere { caches.append(cache) }
    }
    guard !caches.isEmpty else {
      throw SecretStoreError(.invalidArgument, "\(title) has no cache here: sign in with it once.")
    }
    return caches
  }

  /// Takes the locks of places.
  func lock(_ places: [Place]) async throws -> PartnerLock {
    let files = places.flatMap(\.locks).reduce(into: [PartnerLock.File]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    do {
      return try await PartnerLock.acquire(files)
    } catch let error as SecretStoreError {
      throw SecretStoreError(error.code, "\(title): \(error.detail)", underlying: error.underlying)
    }
  }
}

extension PartnerCache {
  /// Whether the keyring daemon did not reply.
  fileprivate var isSilent: Bool {
    if case .unreadable(let error) = state { error.code == .timedOut } else { false }
  }

  /// The error for a cache that can't be read.
  func error(for partner: Partner) -> SecretStoreError? {
    switch state {
    case .locked:
      SecretStoreError(
        .groupLocked, "\(partner.title) has its cache in a keyring that is locked.",
        underlying: PartnerProblem.locked)
    case .hidden:
      SecretStoreError(
        .groupLocked, "\(partner.title) may have its cache in a keyring that is locked.",
        underlying: PartnerProblem.locked)
    case .unreadable(let error):
      SecretStoreError(
        error.code,
        [partner.title + ":", error.detail, place.warning].compactMap(\.self).joined(separator: " "),
        underlying: error.underlying)
    default: nil
    }
  }
}

extension CacheDocument {
  /// Removes all but an account and its credentials.
  fileprivate mutating func keep(only account: PartnerAccount, in partner: Partner) throws(SecretStoreError) {
    guard let owner = try account.owner(in: self) else {
      throw SecretStoreError(.invalidArgument, "\(partner.title) is not signed in to that account.")
    }
    removeCredentials { PartnerAccount.Owner($0.homeAccountID, $0.environment) != owner }
    removeAccounts { PartnerAccount.Owner($0.homeAccountID, $0.environment) != owner }
  }

  /// Removes what is not of a client, accounts without a credential, and what this version can't read.
  fileprivate mutating func keep(client: String?) {
    for section in CacheSection.allCases {
      removeEntries(of: section) { value in !Self.isReadable(value, section) }
    }
    if let client {
      removeCredentials { !$0.isOf(client) }
      removeEntries(of: .appMetadata) { AppMetadataEntry($0)?.isOf(client) != true }
    }
    let owners = Set(credentials.map { HomeAccountID($0.homeAccountID).compared })
    removeAccounts { !owners.contains(HomeAccountID($0.homeAccountID).compared) }
  }
}
