// SPDX-License-Identifier: MIT

import SecretStoreCache

/// The README's first example, compiled.
///
/// What stands between the markers is compared with the README.
struct ReadmeSnippet {
  let endpoint: any TokenEndpoint
  let signIn: @Sendable () async throws -> TokenResponse
  let send: @Sendable (String) -> Void

  private func send(authorization: String) { send(authorization) }

  func run() async throws {
    // begin
    let app = try AppEntitlements(
      app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
    let cache = try SecretStore().tokenCache(
      for: app, group: "com.contoso.shared", clientID: "contoso-suite",
      authority: try Authority("https://login.microsoftonline.com/common"), endpoint: endpoint)

    if let account = try await cache.account() {
      do {
        let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
        send(authorization: "Bearer \(result.accessToken)")
      } catch let error as SecretStoreError where error.code == .interactionRequired {
        try await cache.save(signIn(), scopes: ["mail.read"])  // your sign-in, the token endpoint's answer
      }
    }
    // end
  }
}
