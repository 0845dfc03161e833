// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

/// What Microsoft's pages "Using redirect URIs with MSAL for iOS and macOS", "Migrate applications to MSAL"
/// and "Enable cross-app SSO on iOS using ADAL" ask of redirect URIs, rule by rule.
@Suite("Redirect URI guidance")
struct RedirectURIGuidanceTests {
  private func app(_ name: String) throws -> AppIdentifier { try AppIdentifier(name) }

  @Test("Without a redirect URI the default is msauth.<app id>://auth")
  func defaultForm() throws {
    let app = try app("com.contoso.myapp")
    let handlers = FixedHandlers(["msauth.com.contoso.myapp": ["com.contoso.myapp"]])
    let uri = try RedirectURI(for: app, clientID: "ABCDE-12345", registeredWith: handlers)
    #expect(uri.text == "msauth.com.contoso.myapp://auth")
    #expect(uri.form == .msal)
    #expect(uri.isBrokerCapable)
    #expect(try RedirectURI(defaultFor: app) == uri)
  }

  @Test("Apps with one client ID have distinct redirect URIs")
  func distinct() throws {
    let uris = try ["com.contoso.app1", "com.contoso.app2", "com.contoso.app3"].map {
      try RedirectURI("msauth.\($0)://auth", for: app($0))
    }
    let registration = try ClientRegistration(clientID: "ABCDE-12345", redirectURIs: uris)
    #expect(registration.redirectURIs(of: try app("com.contoso.app2")) == [uris[1]])
  }

  @Test("Apps with one client ID and the same redirect URI are refused")
  func notDistinct() async throws {
    await expectProblem(.sharedByApps) {
      _ = try ClientRegistration(
        clientID: "ABCDE-12345",
        redirectURIs: [
          RedirectURI("https://contoso.com/signed-in", for: app("com.contoso.app1")),
          RedirectURI("https://contoso.com/signed-in", for: app("com.contoso.app2")),
        ])
    }
  }

  @Test(
    """
    "The redirect URIs need to be different for each iOS app"; the address that the broker of the Linux desktop is sent
    may be that of several, because nothing opens it
    """)
  func nativeClient() throws {
    let uris = try [
      "com.contoso.app1": "HTTPS://LOGIN.microsoftonline.com/common/oauth2/nativeclient",
      "com.contoso.app2": RedirectURI.nativeClient,
    ].sorted(by: <).map { try RedirectURI($0.value, for: app($0.key)) }
    let registration = try ClientRegistration(clientID: "ABCDE-12345", redirectURIs: uris)
    #expect(try registration.redirectURIs(of: app("com.contoso.app2")) == [uris[1]])
    #expect(uris.allSatisfy { $0.isBrokerCapable && !$0.needsRegistration })
  }

  @Test("ADAL's form <scheme>://<app id> remains valid, also with a broker")
  func adalForm() throws {
    for name in ["com.myapp.mytestapp", "com.myapp.mytestapp2", "com.myapp.mytestapp3"] {
      let uri = try RedirectURI("x-msauth-mytestiosapp://\(name)", for: app(name))
      #expect(uri.form == .adal)
      #expect(uri.isBrokerCapable)
      #expect(uri.brokerProblem == nil)
    }
  }

  @Test("A redirect URI needs a scheme and a host")
  func form() async throws {
    let app = try app("com.contoso.myapp")
    await expectProblem(.noScheme) { _ = try RedirectURI("//auth", for: app) }
    await expectProblem(.noHost) { _ = try RedirectURI("msauth.com.contoso.myapp://", for: app) }
    await expectProblem(.noHost) { _ = try RedirectURI("msauth.com.contoso.myapp:", for: app) }
  }

  @Test("The scheme must be registered for the app; otherwise the error has the line to add")
  func registered() async throws {
    let app = try app("com.contoso.myapp")
    let uri = try RedirectURI(defaultFor: app)
    try uri.requireRegistered(with: FixedHandlers(["msauth.com.contoso.myapp": ["com.contoso.myapp"]]))
    await expectProblem(.schemeNotRegistered) { try uri.requireRegistered(with: FixedHandlers()) }
    let error = #expect(throws: SecretStoreError.self) { try uri.requireRegistered(with: FixedHandlers()) }
    #expect(error?.detail.contains("MimeType=x-scheme-handler/msauth.com.contoso.myapp;") == true)
    #expect(error?.detail.contains("com.contoso.myapp.desktop") == true)
    #expect(error?.detail.contains("update-desktop-database") == true)
  }

  @Test("An https link needs no registered scheme")
  func https() throws {
    let uri = try RedirectURI("https://mail.contoso.com/signed-in", for: app("com.contoso.mail"))
    #expect(uri.form == .link)
    #expect(!uri.needsRegistration)
    try uri.requireRegistered(with: FixedHandlers())
  }

  @Test("Any redirect URI is valid unless the app supports a broker")
  func brokerOnly() throws {
    let app = try app("com.myapp.mytestapp")
    let uri = try RedirectURI("myapp://signed-in", for: app)
    #expect(uri.form == .custom)
    #expect(!uri.isBrokerCapable)
    #expect(uri.brokerProblem?.rule == .notForBroker)
    let link = try RedirectURI("https://myapp.com/signed-in", for: app)
    #expect(link.brokerProblem?.rule == .webScheme)
  }

  @Test(
    "For certificates a second URI is registered: msauth://code/ and the percent-encoded first one",
    arguments: [
      (
        "com.myapp.mytestapp", "x-msauth-mytestiosapp://com.myapp.mytestapp",
        "msauth://code/x-msauth-mytestiosapp%3A%2F%2Fcom.myapp.mytestapp"
      ),
      (
        "com.microsoft.mybundleId", "msauth.com.microsoft.mybundleId://auth",
        "msauth://code/msauth.com.microsoft.mybundleId%3A%2F%2Fauth"
      ),
    ])
  func certificate(name: String, text: String, expected: String) throws {
    let app = try app(name)
    #expect(try RedirectURI(text, for: app).certificateURI == expected)
    let second = try RedirectURI(expected, for: app)
    #expect(second.form == .certificate)
    #expect(second.scheme == "msauth")
    #expect(second.needsRegistration)
    #expect(second.certificateURI == nil)
  }

  @Test("An invalid redirect URI throws an error with the reason during setup")
  func invalid() throws {
    let app = try app("com.contoso.mail")
    let error = #expect(throws: SecretStoreError.self) {
      try RedirectURI("msauth.com.contoso.mail://auth#top", for: app)
    }
    #expect(error?.code == .invalidRedirectURI)
    #expect(error?.detail.contains("fragment") == true)
  }

  @Test("A scheme should be unique: if two apps register one, both get a warning")
  func unique() {
    let catalog = ManifestCatalog(
      ["com.myapp.one", "com.myapp.two"].map { name in
        .installed(name) { $0.mediaTypes = ["x-scheme-handler/x-msauth-myapp"] }
      })
    #expect(catalog.manifests.map { $0.problems.map(\.rule) } == [[.sharedScheme], [.sharedScheme]])
  }

  @Test("The handler finds the authorization response among all URLs that are opened with the app")
  func opened() async throws {
    let app = try app("com.contoso.mail")
    let redirects = RedirectHandler()
    let state = await redirects.issueState(for: try RedirectURI(defaultFor: app))
    let response = try await redirects.handleRedirect(
      "msauth.com.contoso.mail://auth?code=OAAB&state=\(state)", for: app)
    #expect(response.code == "OAAB")
  }
}
