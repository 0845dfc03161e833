// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

/// Whether each sign-in can still bring tokens: by a refresh token, or by an access token that has not expired.
///
/// ADAL's count by their refresh tokens alone, as they do for the silent call that takes them up.
struct GroupTokensCheck: Sendable {
  let inventory: GroupInventory
  let now: Date

  static let name = "group-tokens"

  func find() -> Finding {
    let signIns = inventory.items(.credentials).compactMap { item in
      item.document.flatMap { document in item.key.map { ($0, document) } }
    }
    let used = signIns.filter { $0.1.hasTokens }
    let adals = AccountDirectory.withADALs(of: inventory.items(.legacy).compactMap(\.record))
    let withADALs = Set(adals.map { RecordKey.storedAccount($0.identifier) })
    let expired = used.filter {
      !isUsable($0.1) && !hasFamilyToken($0.0) && !withADALs.contains($0.0.account)
    }
    let count = Quantity.of(used.count, "sign-in")
    if expired.isEmpty { return .ok(usable(count, isEmpty: used.isEmpty, adals: adals.count)) }
    return .warning(
      "Of \(count) of accounts to clients, \(expired.count) can bring no token without signing in.",
      remedy: GeneralRemedy.signIn)
  }

  private func usable(_ count: String, isEmpty: Bool, adals: Int) -> String {
    var parts: [String] = []
    if !isEmpty { parts.append("\(count) of accounts to clients") }
    if adals > 0 { parts.append("\(Quantity.of(adals, "account")) of ADAL's") }
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

  private func hasFamilyToken(_ key: RecordKey) -> Bool {
    inventory.items(.family).contains { $0.key?.account == key.account && $0.document?.hasTokens == true }
  }
}
