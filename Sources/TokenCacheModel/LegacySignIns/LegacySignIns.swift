// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import UnifiedCache

/// The sign-ins of an older library, which stands in the group's records of the kind `legacy`.
///
/// A token cache and an account directory read, use and change such records through this protocol only. Without one
/// they don't see them. An import, an export and the removal of everything treat them as part of the group in any
/// case.
///
/// `ADALCache` implements it for ADAL, and adds the options that turn it on.
package protocol LegacySignIns: Sendable {
  /// Returns whether sign-ins at an authority are read.
  func isRead(at authority: Authority) -> Bool

  // MARK: Accounts

  /// Returns accounts of the unified cache together with those that only the older library has a refresh token for.
  ///
  /// - Parameters:
  ///   - accounts: The accounts of the unified cache.
  ///   - records: The older library's records.
  ///   - client: The client whose accounts to return; `nil` for those of every client.
  ///   - aliases: The hosts that belong to the same cloud.
  ///   - isInUse: Returns whether the client's app uses one of `accounts`. One that it doesn't use is left out when it
  ///     has signed out of it in the older library's format.
  ///   - isHidden: Returns whether to leave out an account that only the older library has.
  /// - Returns: The accounts, sorted by user name.
  func merged(
    _ accounts: [Account], with records: [Record], of client: LegacyClient?, _ aliases: EnvironmentAliases,
    isInUse: (Account) -> Bool, isHidden: (Account) -> Bool
  ) -> [Account]

  /// Returns the accounts of the older library that a token of any kind is stored for and that are none of the given
  /// ones.
  ///
  /// An account may be there several times.
  func everyAccount(
    in records: [Record], besides known: [Account], _ aliases: EnvironmentAliases
  ) -> [Account]

  /// Returns the user names with the identifiers of their accounts, as the older library's records state them, also
  /// those of sign-outs.
  func names(in records: [Record], _ aliases: EnvironmentAliases) -> [LegacyName]

  /// Returns a function that finds the older library's documents of an account by their positions.
  ///
  /// - Parameter documents: Documents of any kind.
  func positions(in documents: [CacheDocument]) -> (Account) -> [Int]

  /// Returns whether a document is the older library's of an account.
  func isItem(_ document: CacheDocument, of account: Account, _ aliases: EnvironmentAliases) -> Bool

  // MARK: Silent calls

  /// Returns the older library's refresh tokens of an account, the preferred one first.
  func refreshTokens(
    of account: Account, at authority: Authority, for client: LegacyClient, _ aliases: EnvironmentAliases
  ) async throws -> [RefreshTokenInUse]

  /// Removes a refresh token that the server refused, unless another one is stored by now.
  func remove(_ token: RefreshTokenInUse, from backend: any TokenCacheBackend) async throws

  /// Stores a new refresh token in place of the redeemed one, unless the account was signed out or another one is
  /// stored by now.
  ///
  /// - Returns: Whether the redeemed one's item is there, also where it stays as it is.
  func replace(
    _ token: RefreshTokenInUse, with secret: String, in backend: any TokenCacheBackend
  ) async throws -> Bool

  /// Returns the older library's name of the user that a response is for; `nil` when the response names none.
  func username(in response: TokenResponse) -> String?

  /// Saves a response of the unified cache in the older library's format, too, if the app asks for that.
  ///
  /// Errors are ignored: they must not fail a sign-in.
  ///
  /// - Parameter authority: The requested authority.
  func seed(
    _ response: TokenResponse, _ context: ResponseContext, at authority: Authority, for client: LegacyClient
  ) async

  // MARK: Signing out

  /// Returns whether the client's app signed out of an account in the older library's format, and has not signed in
  /// again in it.
  func isSignedOut(
    of account: Account, for client: LegacyClient, _ aliases: EnvironmentAliases
  ) async throws -> Bool

  /// Signs the client's app out of an account.
  ///
  /// A family's token is removed when no client with tokens for the account may use it, in either format. So the
  /// unified cache's tokens must be removed before.
  ///
  /// - Parameter now: The time, for the record of who removed the tokens.
  /// - Returns: Whether anything was left of the account for the app.
  func signOut(
    of account: Account, for client: LegacyClient, at now: Date, _ aliases: EnvironmentAliases
  ) async throws -> Bool

  /// Signs every app of a client out of an account, also of what it has through a family only.
  ///
  /// The unified cache's tokens must be removed before, as in ``signOut(of:for:at:_:)``.
  ///
  /// - Parameters:
  ///   - clientID: The client; `nil` for every client.
  ///   - signOut: Who signs out and when, for the record.
  /// - Returns: Whether the client, or any client, had the account.
  func signOutAllApps(
    of account: Account, clientID: String?, recordedAs signOut: (app: String, date: Date),
    in backend: any TokenCacheBackend, _ aliases: EnvironmentAliases
  ) async throws -> Bool
}

/// A user name and the identifier of its account, as a record of an older library states them.
package struct LegacyName: Sendable {
  let username: String
  let environment: String
  let identifier: String
  /// Whether the record states the identifier; otherwise it is that of an account whose home is the record's tenant.
  let isCertain: Bool

  package init(username: String, environment: String, identifier: String, isCertain: Bool) {
    self.username = username
    self.environment = environment
    self.identifier = identifier
    self.isCertain = isCertain
  }
}
