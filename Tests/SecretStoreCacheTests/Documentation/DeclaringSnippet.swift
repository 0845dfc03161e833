// SPDX-License-Identifier: MIT

import SecretStoreCache

/// The README's example of a declared app, compiled.
///
/// What stands between the markers is compared with the README.
struct DeclaringSnippet {
  let authorizing: @Sendable (RedirectURI, String) -> String
  let opened: @Sendable (String) async throws -> String

  func run() async throws -> AuthorizationAnswer {
    // begin
    let app = try InstalledApps().entitlements(for: "com.contoso.mail")
    let uri = try RedirectURI(
      for: app.app, clientID: "contoso-suite", registeredWith: DesktopSchemeHandlers())

    let redirects = RedirectHandler()
    let state = await redirects.issueState(for: uri)
    let url = try await opened(authorizing(uri, state))  // your browser, and what the desktop opens
    let answer = try await redirects.handleRedirect(url, for: app.app)
    // end
    return answer
  }
}
