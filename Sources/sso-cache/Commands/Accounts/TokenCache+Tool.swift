// SPDX-License-Identifier: MIT

import ADALCache
import SecretStoreCache

extension TokenCache {
  /// Creates a client's cache for the tool.
  ///
  /// The default authority is used to look up the account, because the account's own authority is not known before.
  init(
    opened: GroupOptions.Opened, clientID: String, authority: Authority? = nil,
    endpoint: (any TokenEndpoint)? = nil
  ) throws {
    var options = TokenCacheOptions()
    options.sharesWithADAL = true
    self.init(
      backend: opened.backend, app: opened.app, clientID: clientID,
      authority: try authority ?? Authority("https://login.microsoftonline.com/common"), endpoint: endpoint,
      options: options)
  }

  /// Returns the account with an identifier or a user name.
  ///
  /// MSAL entries are searched by identifier first, which avoids reading all accounts. Other names require reading all
  /// accounts, including those of ADAL entries.
  ///
  /// - Parameter prefersAuthority: Whether an account of the authority's environment is meant where others have the
  ///   name, too.
  /// - Throws: `ambiguousAccount` for several.
  func account(
    named name: String, _ chosen: EnvironmentOption, prefersAuthority: Bool
  ) async throws -> Account? {
    var options = options
    options.sharesWithADAL = false
    let msalEntries = TokenCache(
      backend: backend, app: app, clientID: clientID, authority: authority, options: options)
    var found = try await chosen.chosen(among: msalEntries.accounts(identifier: name), in: backend)
    if found.isEmpty { found = try await chosen.named(name, among: accounts(), in: backend) }
    let here = found.filter { $0.environment == authority.environment }
    return try Account.single(prefersAuthority && !here.isEmpty ? here : found)
  }
}
