// SPDX-License-Identifier: MIT

import UnifiedCache

extension TokenCache {
  /// The same cache for the unified format only, without an older library's sign-ins, external accounts and the broker.
  package var withUnifiedFormatOnly: TokenCache {
    var cache = self
    cache.options.readsLegacySignIns = false
    cache.options.externalAccounts = []
    cache.options.broker = nil
    return cache
  }

  /// Returns the unified accounts that may be an older library's account: those with its user name or object ID, in
  /// its cloud.
  func unifiedAccounts(namedAs account: Account) async throws -> [Account] {
    let aliases = try await aliases(of: account)
    return try await withUnifiedFormatOnly.accounts().filter { known in
      let isSamePerson =
        Username(known.username).compared == Username(account.username).compared
        || known.tenantProfiles.contains { profile in
          !profile.identifier.isEmpty
            && account.tenantProfiles.contains {
              $0.identifier.lowercased() == profile.identifier.lowercased()
            }
        }
      return isSamePerson && aliases.areSame(known.storageEnvironment, account.storageEnvironment)
    }
  }

  /// Returns the sign-ins of an older library that the cache reads at an authority; `nil` for none.
  func legacySignIns(at authority: Authority) -> (any LegacySignIns)? {
    guard options.readsLegacySignIns, let shared = options.legacySignIns, shared.isRead(at: authority) else {
      return nil
    }
    return shared
  }

  /// The queries for the records of ``legacySignIns(at:)``.
  var legacyRecords: [RecordQuery] { legacySignIns(at: authority) == nil ? [] : [.all(.legacy)] }

  /// Returns this cache's client as a user of an older library's sign-ins, in the name of this app.
  func legacyClient(families: Set<String>) -> LegacyClient { legacyClient(families: families, app: app) }

  /// Returns this cache's client as a user of an older library's sign-ins.
  func legacyClient(families: Set<String>, app: AppIdentifier?) -> LegacyClient {
    LegacyClient(backend: backend, clientID: clientID, families: families, app: app)
  }

  /// Saves a response in an older library's format, too, if the app asks for that.
  func seed(_ response: TokenResponse, _ context: ResponseContext, at authority: Authority) async {
    await options.legacySignIns?.seed(response, context, at: authority, for: legacyClient(families: []))
  }
}
