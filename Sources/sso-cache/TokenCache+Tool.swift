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
  func account(named name: String) async throws -> Account? {
    if let account = try await account(identifier: name) { return account }
    return try await account(username: name)
  }
}
