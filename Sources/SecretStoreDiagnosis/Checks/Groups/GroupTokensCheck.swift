// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that each sign-in can still provide tokens, from a refresh token or from an access token that has not
/// expired.
///
/// Only the refresh tokens of ADAL entries count, because a silent call redeems only those.
struct GroupTokensCheck: Sendable {
  let inventory: GroupInventory
  let now: Date

  static let name = "group-tokens"

  func run() -> CheckResult {
    let signIns = inventory.items(.credentials).compactMap { item in
      item.document.flatMap { document in item.key.map { ($0, document) } }
    }
    let used = signIns.filter { $0.1.hasTokens }
    let adalTokens = ADALStore.items(in: inventory.items(.legacy).compactMap(\.record)).map(\.token).filter {
      $0.userID != nil && [.multiResourceRefreshToken, .familyRefreshToken].contains($0.kind)
    }
    let adalUsers = Set(adalTokens.map { "\($0.environment(.shipped)) \(Username($0.userID).compared)" })
    let adalAccounts = Set(adalTokens.compactMap(\.homeAccountID).map(RecordKey.storedAccount))
    let familyAccounts = inventory.items(.family).filter(hasUsableToken).compactMap(\.key?.account)
    let otherAccounts = adalAccounts.union(familyAccounts)
    let expired = used.filter { !isUsable($0.1) && !otherAccounts.contains($0.0.account) }
    let count = Quantity.of(used.count, "sign-in")
    if expired.isEmpty {
      let usedAccounts = Set(used.map(\.0.account))
      let families = familyAccounts.count { !usedAccounts.contains($0) }
      return .ok(usable(count, isEmpty: used.isEmpty, families: families, adalUsers: adalUsers.count))
    }
    return .warning(
      "Of \(count) of accounts to clients, \(expired.count) can bring no token without signing in.",
      remedy: GeneralRemedy.signIn)
  }

  private func usable(_ count: String, isEmpty: Bool, families: Int, adalUsers: Int) -> String {
    var parts: [String] = []
    if !isEmpty { parts.append("\(count) of accounts to clients") }
    if families > 0 { parts.append("\(Quantity.of(families, "account")) of a family of clients") }
    if adalUsers > 0 { parts.append("\(Quantity.of(adalUsers, "account")) of ADAL's") }
    return parts.isEmpty ? "Nobody is signed in." : "\(parts.joined(separator: " and ")) can bring tokens."
  }

  private func isUsable(_ document: CacheDocument) -> Bool {
    document.credentials.contains { credential in
      switch credential.kind {
      case .refreshToken, .familyRefreshToken, .boundRefreshToken, .primaryRefreshToken: true
      case .accessToken, .accessTokenWithAuthScheme: credential.expiresOn.map { $0 > now } ?? false
      default: false
      }
    }
  }

  /// Returns whether a family's item has a token that a silent call looks for.
  private func hasUsableToken(_ item: GroupInventory.Item) -> Bool {
    item.key?.hasFamilies == true && item.document?.hasTokens == true
  }
}
