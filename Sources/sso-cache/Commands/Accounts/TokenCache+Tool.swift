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
  func account(named name: String) async throws -> Account? {
    var options = options
    options.sharesWithADAL = false
    let msalEntries = TokenCache(
      backend: backend, app: app, clientID: clientID, authority: authority, options: options)
    if let account = try await msalEntries.account(identifier: name) { return account }
    return try await account(identifierOrUsername: name)
  }
}
