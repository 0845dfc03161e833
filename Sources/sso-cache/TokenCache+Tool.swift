// SPDX-License-Identifier: MIT

import SecretStoreCache

extension TokenCache {
  /// A client's cache as the tool opens it, over an authority that is not known before the account is.
  init(
    person opened: GroupOptions.Opened, clientID: String, authority: Authority? = nil,
    endpoint: (any TokenEndpoint)? = nil
  ) throws {
    self.init(
      backend: opened.backend, app: opened.app, clientID: clientID,
      authority: try authority ?? Authority("https://login.microsoftonline.com/common"), endpoint: endpoint)
  }

  /// The account of an identifier or a user name.
  ///
  /// Where ADAL's items may tell of accounts, too, all accounts are read: not for one that MSAL's tell of.
  func account(named name: String) async throws -> Account? {
    var options = options
    options.sharesWithADAL = false
    let msals = TokenCache(
      backend: backend, app: app, clientID: clientID, authority: authority, options: options)
    if let account = try await msals.account(identifier: name) { return account }
    if let account = try await account(identifier: name) { return account }
    return try await account(username: name)
  }
}
