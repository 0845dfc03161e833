// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// The options of every command.
///
/// Most options can also be set by an environment variable. The help shows its name in brackets.
struct SuiteOptions: ParsableArguments {
  @Option(help: "The OpenID provider, a URL. [CONTOSO_ISSUER]")
  var issuer = SuiteSettings.current.issuer

  @Option(help: "The client id, the same for every app of the suite. [CONTOSO_CLIENT_ID]")
  var clientID = SuiteSettings.current.clientID

  @Option(name: .customLong("scope"), help: "The scopes to ask for, in one argument. [CONTOSO_SCOPE]")
  var scopes = SuiteSettings.current.scopes

  @Option(help: "How many seconds before its expiry a token counts as expired. [CONTOSO_EXPIRY_BUFFER]")
  var expiryBuffer = SuiteSettings.current.expiryBuffer

  @Option(help: "The redirect URI, if not the app's own.")
  var redirectURI: String?

  @Option(help: "What this release of the app is built with. [CONTOSO_LIBRARY]")
  var library = SuiteSettings.variable("LIBRARY").flatMap(Library.init) ?? .msal

  @Option(help: "What ADAL asks for in place of scopes. [CONTOSO_RESOURCE]")
  var resource = SuiteSettings.variable("RESOURCE") ?? "https://suite.contoso.com"

  @Flag(help: "The provider is Azure AD, or responds as it does. [CONTOSO_AZURE=1]")
  var azure = false

  @Flag(help: "Keep what MSAL brings in ADAL's format, too. [CONTOSO_SEED=1]")
  var seed = false

  func validate() throws {
    if issuer.isEmpty { throw ValidationError("Name the provider: --issuer URL, or CONTOSO_ISSUER.") }
    if !(expiryBuffer >= 0) { throw ValidationError("The expiry buffer is not a number of seconds.") }
  }

  /// The scopes to request.
  var requested: Scopes { Scopes(target: scopes) }

  /// Creates the app's identity library.
  func identity<App: SuiteApp>(for app: App.Type) throws(SecretStoreError) -> any Identity {
    let entitlements = try AppEntitlements(propertyList: app.entitlements)
    let authority = try Authority(issuer, kind: azure || Self.isSet("AZURE") ? .aad : nil)
    let redirectURI = redirectURI ?? app.redirectURI
    let name = app.name
    let stray: @Sendable (String) -> Void = { reason in
      FileHandle.standardError.write(Data("\(name): passed over a URL. \(reason)\n".utf8))
    }
    switch library {
    case .msal:
      let client = try PublicClient(
        entitlements: entitlements, clientID: clientID, authority: authority, redirectURI: redirectURI,
        expiryBuffer: expiryBuffer, seedsADAL: seed || Self.isSet("SEED"), onStray: stray)
      return MSALIdentity(client: client, scopes: requested)
    case .adal26, .adal27:
      let client = try ADALClient(
        entitlements: entitlements, clientID: clientID, authority: authority,
        generation: library == .adal26 ? .ownFormat : .bothFormats, redirectURI: redirectURI,
        expiryBuffer: expiryBuffer, onStray: stray)
      return ADALIdentity(client: client, resource: resource)
    }
  }

  private static func isSet(_ name: String) -> Bool { SuiteSettings.variable(name) == "1" }
}
