// SPDX-License-Identifier: MIT

import StrictJSON
import UnifiedCache

/// A snapshot of an account, which shows later whether it has changed.
struct AccountFingerprint: Sendable {
  let account: Account
  /// A digest of the tokens, which are not kept themselves.
  let tokens: String

  /// Returns whether the account's visible properties are the same.
  func looksLike(_ other: AccountFingerprint) -> Bool {
    let known = other.account
    return account.username == known.username && account.name == known.name
      && account.clients == known.clients && account.signIns == known.signIns
      && account.tenantProfiles.count == known.tenantProfiles.count
      && zip(account.tenantProfiles, known.tenantProfiles).allSatisfy { $0.looksLike($1) }
  }
}

extension TenantProfile {
  /// Returns whether all properties but the ID token are the same; each refresh replaces that token.
  fileprivate func looksLike(_ other: TenantProfile) -> Bool {
    identifier == other.identifier && tenant == other.tenant && isHome == other.isHome
      && username == other.username && name == other.name
  }
}

extension AccountFingerprint {
  /// Returns the accounts' fingerprints, with the tokens from the records.
  ///
  /// - Parameter legacySignIns: The owner of an older library's records; `nil` when there are none.
  static func all(
    _ accounts: [Account], in records: [Record], _ legacySignIns: (any LegacySignIns)?
  ) -> [AccountFingerprint] {
    let documents = records.compactMap { record in
      (try? record.document()).map { (key: record.key, document: $0) }
    }
    .sorted { $0.key.sortingName < $1.key.sortingName }
    var unified: [Owner: [Int]] = [:]
    for (index, stored) in documents.enumerated() {
      if stored.key.kind != .legacy {
        unified[Owner(account: stored.key.account, environment: stored.key.environment), default: []]
          .append(index)
      }
    }
    let legacy = legacySignIns?.positions(in: documents.map(\.document))
    let texts = documents.map { Digest.hex("\($0.key.sortingName) \($0.document.tokenText)") }
    return accounts.map { account in
      let owner = Owner(
        account: RecordKey.storedAccount(account.identifier), environment: account.storageEnvironment)
      let own = Set((unified[owner] ?? []) + (legacy?(account) ?? [])).sorted().map { texts[$0] }
      return AccountFingerprint(account: account, tokens: Digest.hex(own.joined(separator: "\n")))
    }
  }

  private struct Owner: Hashable {
    let account: String
    let environment: String
  }
}

extension RecordKey {
  fileprivate var sortingName: String {
    [kind.rawValue, account, environment, clientID, familyID, key].joined(separator: "\n")
  }
}

extension CacheDocument {
  /// A text of all tokens, which changes with each of them.
  fileprivate var tokenText: String {
    let sections: [CacheSection] = [.accessToken, .refreshToken, .idToken]
    let unified = sections.map { JSONValue.object(self[$0]).serialized() }.joined()
    let adalTokens =
      adalToken.map { [$0.accessToken ?? "", $0.refreshToken ?? ""].joined(separator: " ") } ?? ""
    return String(decoding: unified, as: UTF8.self) + adalTokens
  }
}
