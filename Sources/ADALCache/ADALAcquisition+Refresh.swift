// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// The refresh request, and the handling of its response.
extension ADALAcquisition {
  func refresh(_ item: ADALStore.Stored, at endpoint: any TokenEndpoint) async throws -> ADALResult {
    let secret = item.token.refreshToken ?? ""
    let request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: [], refreshToken: secret,
      claims: try cache.options.claims(), resource: resource)
    let user = ADALUser(item.token)
    let throttling = SharedThrottling(backend: cache.backend, clock: cache.options.clock)
    let thumbprints = Throttling.Thumbprints(
      request, account: user?.homeAccountID ?? Username(user?.userID).compared,
      revision: item.metadata.revision)
    if let refusal = await throttling.refusal(of: thumbprints) {
      throw TokenEndpointClient.error(refusal, isRemembered: true)
    }
    // Nothing that may fail is read between the request and the save.
    let environment = try await cache.environment(authority)
    try await cache.backend.record(for: item.key)?.document().requireRoom()
    let response = try await TokenEndpointClient(endpoint: endpoint, retryDelay: cache.options.retryDelay)
      .send(request)
    guard response.isSuccess else {
      let refusal = await throttling.recordRefusal(response, to: request, thumbprints)
      let isOfResource = refusal.requiresProtectionPolicy || refusal.isConditionalAccess
      let suberrorsKeepingToken = ["consent_required", "client_mismatch"]
      if refusal.code == "invalid_grant", !isOfResource,
        !suberrorsKeepingToken.contains(refusal.suberror ?? "")
      {
        try? await cache.store.reject(secret, in: item.key)
      }
      throw TokenEndpointClient.error(refusal)
    }
    return try await save(
      try TokenEndpointClient.tokenResponse(response, redeeming: secret), in: environment, known: user,
      redeemed: item)
  }

  /// Saves the response to a refresh request unless the app signed out during the request.
  ///
  /// A save in one format is tried although the one in the other has failed. The result has the error, and the
  /// response.
  ///
  /// - Parameters:
  ///   - environment: The authority's environment, as the group knew it before the request.
  ///   - redeemed: The item of the redeemed refresh token; `nil` when the refresh token came from MSAL's format.
  func save(
    _ response: TokenResponse, in environment: String, known: ADALUser?, redeemed: ADALStore.Stored?
  ) async throws -> ADALResult {
    let named = cache.user(response, known: known)
    if let known,
      Username(named?.userID).compared != Username(known.userID).compared || known.isOther(response)
    {
      throw SecretStoreError(
        .accountMismatch, "The server's response is for another user and was dropped.")
    }
    let response = response.withoutForeignIDToken(for: cache.clientID, at: authority)
    let context = cache.context(authority, resource, in: environment)
    response.logOddMembers(at: context.now, to: cache.options.logger)
    let user = cache.user(response, known: known)
    // The new refresh token replaces the redeemed one, also where the response names no resource.
    let isSingle = redeemed?.token.kind == .singleResource
    let isMultiResource = response.resource != nil || !isSingle
    let items = ADALItems(
      response, resource: resource, of: user, context,
      keeping: isSingle ? redeemed?.token.refreshToken : nil, isMultiResource: isMultiResource)
    var saveError: SecretStoreError?
    do {
      try await PersistentSave.run(in: cache.backend, retryingAfter: cache.options.retryDelay) {
        try await store(items, of: known, redeemed: redeemed)
      }
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
    }
    let unifiedError =
      isMultiResource ? await cache.saveUnified(response, context, isSignIn: false) : nil
    saveError = saveError ?? unifiedError
    guard
      let result = ADALResult(
        items.accessToken, user: user, source: .refresh, saveError: saveError, response: response)
    else { throw TokenResult.Unsaved.noAccessToken(response, saveError) }
    return result
  }

  /// Stores the items; if the app signed out meanwhile, only for the client's other apps, if there are any.
  private func store(_ items: ADALItems, of known: ADALUser?, redeemed: ADALStore.Stored?) async throws {
    let signedOut = SilentAcquisition.interaction("The app was signed out during the refresh.")
    switch try await signInStatus(redeemed, known) {
    case .signedIn: break
    case .signedOutByApp:
      try await cache.store.save(items.all, for: nil, redeemed: redeemed)
      throw signedOut
    case .removed: throw signedOut
    }
    try await cache.store.save(items.all, for: cache.app, redeemed: redeemed)
    // Checks again: a sign-out after the save finds the stored items, and an earlier one has changed the metadata.
    if try await signInStatus(redeemed, known) == .signedIn { return }
    let keys = Set(items.all.map { RecordKey.legacy($0) })
    try await cache.store.signOut(
      cache.app, recordedAs: nil, where: { keys.contains($0.key) },
      in: { try await cache.store.itemsWithFamily(ofClient: cache.clientID) })
    let users = Set(items.all.map { Username($0.userID) })
    let aliases = try await cache.unified(authority).aliases(for: authority)
    try await cache.store.removeUnusedFamilies(
      where: { cache.belongs($0, to: users, at: authority, aliases) }, aliases)
    throw signedOut
  }

  private enum SignInStatus {
    case signedIn
    /// This app signed out. Other apps of the client still use the item.
    case signedOutByApp
    /// The item was removed, or its tokens were.
    case removed
  }

  /// Returns whether the app is still signed in to the account whose refresh token was redeemed.
  private func signInStatus(_ redeemed: ADALStore.Stored?, _ user: ADALUser?) async throws -> SignInStatus {
    if let redeemed {
      guard let record = try await cache.backend.record(for: redeemed.key) else {
        let isDamaged = try await cache.backend.setAsideDamaged(redeemed.key, since: redeemed.readAt)
        return isDamaged ? .signedIn : .removed
      }
      // An item that another program has damaged says nothing of a sign-out.
      guard let stored = try? record.document() else { return .signedIn }
      guard stored.metadata.signOutNumber == redeemed.metadata.signOutNumber else { return .removed }
      return stored.metadata[cache.app] == .signedOut && redeemed.metadata[cache.app] != .signedOut
        ? .signedOutByApp : .signedIn
    }
    guard let identifier = user?.homeAccountID else { return .signedIn }
    let account = Account(
      identifier: identifier, username: user?.userID ?? "", environment: authority.storageEnvironment)
    let unified = cache.unified(authority)
    let key = unified.key(account, try await unified.aliases(for: authority))
    let stored = try await cache.backend.record(for: key)
    return (try? stored?.document().isSignedOut(for: cache.app)) == true ? .removed : .signedIn
  }
}

extension ADALUser {
  /// Whether a response is for another account, by home account ID; `false` unless both IDs are known.
  fileprivate func isOther(_ response: TokenResponse) -> Bool {
    guard let homeAccountID, let responseID = response.clientInfo?.homeAccountID else { return false }
    return HomeAccountID(homeAccountID).compared != HomeAccountID(responseID).compared
  }
}
