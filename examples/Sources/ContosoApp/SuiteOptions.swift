// SPDX-License-Identifier: MIT

import ArgumentParser
import ContosoIdentity
import Foundation
import SecretStoreCache

/// The options of every command.
///
/// Most can also be given by an environment variable, whose name the help shows in brackets.
struct SuiteOptions: ParsableArguments {
  @Option(help: "The OpenID provider, a URL. [CONTOSO_ISSUER]")
  var issuer = Self.variable("ISSUER") ?? ""

  @Option(help: "The client id, the same for every app of the suite. [CONTOSO_CLIENT_ID]")
  var clientID = Self.variable("CLIENT_ID") ?? "contoso-suite"

  @Option(name: .customLong("scope"), help: "The scopes to ask for, in one argument. [CONTOSO_SCOPE]")
  var scopes = Self.variable("SCOPE") ?? "openid suite.read"

  @Option(help: "How many seconds before its expiry a token counts as expired. [CONTOSO_EXPIRY_BUFFER]")
  var expiryBuffer = Self.variable("EXPIRY_BUFFER").map { Double($0) ?? -1 } ?? 300

  @Option(help: "The redirect URI, if not the app's own.")
  var redirectURI: String?

  func validate() throws {
    if issuer.isEmpty { throw ValidationError("Name the provider: --issuer URL, or CONTOSO_ISSUER.") }
    if !(expiryBuffer >= 0) { throw ValidationError("The expiry buffer is not a number of seconds.") }
  }

  /// The scopes to ask for.
  var requested: Scopes { Scopes(target: scopes) }

  /// The identity library, as the app uses it.
  func client<App: SuiteApp>(for app: App.Type) throws(SecretStoreError) -> PublicClient {
    try PublicClient(
      entitlements: AppEntitlements(propertyList: app.entitlements), clientID: clientID,
      issuer: issuer, redirectURI: redirectURI ?? app.redirectURI, expiryBuffer: expiryBuffer)
  }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["CONTOSO_" + name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
