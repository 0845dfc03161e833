// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// What is sent to the server, and what becomes of its answer.
extension ADALAcquisition {
  func exchange(_ item: ADALStore.Stored, at endpoint: any TokenEndpoint) async throws -> ADALResult {
    let secret = item.token.refreshToken ?? ""
    let request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: [], refreshToken: secret, resource: resource)
    let user = ADALUser(item.token)
    let throttling = SharedThrottling(backend: cache.backend, clock: cache.options.clock)
    let thumbprints = Throttling.Thumbprints(
      request, account: user?.homeAccountID ?? ADALTokenKey.user(user?.userID),
      revision: item.sharing.revision)
    if let refusal = await throttling.refusal(of: thumbprints) {
      throw TokenSender.error(refusal, isRemembered: true)
    }
    let reply = try await TokenSender(endpoint: endpoint, retryDelay: cache.options.retryDelay).send(request)
    guard reply.status == 200 else {
      let refusal = await throttling.take(reply, to: request, thumbprints)
      let spares = ["consent_required", "client_mismatch"]
      if refusal.code == "invalid_grant", !spares.contains(refusal.suberror ?? "") {
        try? await cache.store.reject(secret, in: item.key)
      }
      throw TokenSender.error(refusal)
    }
    return try await save(try TokenSender.response(reply), known: user, redeemed: item)
  }

  /// Saves what a refresh token brought, unless the app signed out meanwhile.
  ///
  /// - Parameter redeemed: The item of the refresh token; `nil` when it was one of MSAL's.
  func save(
    _ response: TokenResponse, known: ADALUser?, redeemed: ADALStore.Stored?
  ) async throws -> ADALResult {
    let user = cache.user(response, known: known)
    if let known,
      ADALTokenKey.user(user?.userID) != ADALTokenKey.user(known.userID) || known.isOther(response)
    {
      throw SecretStoreError(
        .accountMismatch, "The server answered for another user; the answer is dropped.")
    }
    let isSingle = redeemed?.token.kind == .singleResource
    var items: ADALItems?
    var saveError: SecretStoreError?
    do {
      let context = try await cache.context(authority, resource)
      let answered = ADALItems(
        response, resource: resource, of: user, context,
        keeping: isSingle ? redeemed?.token.refreshToken : nil)
      items = answered
      try await store(answered, of: known, redeemed: redeemed)
      saveError = await cache.saveUnified(response, context, isSignIn: false)
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
    }
    guard
      let result = ADALResult(items?.accessToken, user: user, source: .refresh, saveError: saveError)
    else { throw SecretStoreError(.serverError, "The token endpoint answered without an access token.") }
    return result
  }

  /// Stores items; when the app signed out meanwhile, for the others of the client, if there are any.
  private func store(_ items: ADALItems, of known: ADALUser?, redeemed: ADALStore.Stored?) async throws {
    let signedOut = SilentAcquisition.interaction("The app was signed out during the refresh.")
    switch try await standing(redeemed, known) {
    case .signedIn: break
    case .leftByApp:
      try await cache.store.save(items.all, for: nil, redeemed: redeemed)
      throw signedOut
    case .gone: throw signedOut
    }
    try await cache.store.save(items.all, for: cache.app, redeemed: redeemed)
    // Whoever signs out now finds what is stored; whoever did before has left word of it.
    if try await standing(redeemed, known) == .signedIn { return }
    let keys = Set(items.all.map { RecordKey.legacy($0) })
    try await cache.store.signOut(
      cache.app, where: { keys.contains($0.key) },
      among: { try await cache.store.itemsWithFamily(ofClient: cache.clientID) })
    throw signedOut
  }

  private enum Standing {
    case signedIn
    /// This app signed out; others of the client use the item.
    case leftByApp
    /// The item is not there any more, or was emptied.
    case gone
  }

  /// How the app stands to what was redeemed.
  private func standing(_ redeemed: ADALStore.Stored?, _ user: ADALUser?) async throws -> Standing {
    if let redeemed {
      let stored = try await cache.backend.record(for: redeemed.key)?.document()
      guard let stored, stored.sharing.epoch == redeemed.sharing.epoch else { return .gone }
      return stored.sharing[cache.app] == .signedOut && redeemed.sharing[cache.app] != .signedOut
        ? .leftByApp : .signedIn
    }
    guard let identifier = user?.homeAccountID else { return .signedIn }
    let account = Account(
      identifier: identifier, username: user?.userID ?? "", environment: authority.environment)
    let unified = cache.unified(authority)
    let key = unified.key(account, try await unified.aliases(for: authority))
    let isSignedOut = try await cache.backend.record(for: key)?.document().isSignedOut(for: cache.app) == true
    return isSignedOut ? .gone : .signedIn
  }
}

extension ADALUser {
  /// Whether an answer is for another account, by the identifier, where both are known.
  fileprivate func isOther(_ response: TokenResponse) -> Bool {
    guard let homeAccountID, let answered = response.clientInfo?.homeAccountID else { return false }
    return RecordKey.comparedAccount(homeAccountID) != RecordKey.comparedAccount(answered)
  }
}
