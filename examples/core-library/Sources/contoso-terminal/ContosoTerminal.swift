// SPDX-License-Identifier: MIT

import CoreLibrary
import Foundation
import SecretStoreCache

/// An app without a browser, on the core library.
///
///     contoso-terminal sign-in | token | accounts | sign-out
@main
enum ContosoTerminal {
  private static let scopes: Scopes = ["suite.read"]

  static func main() async {
    do {
      try await run(CommandLine.arguments.dropFirst().first ?? "token")
    } catch {
      FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
      exit(EXIT_FAILURE)
    }
  }

  private static func run(_ command: String) async throws {
    let issuer = ProcessInfo.processInfo.environment["CONTOSO_ISSUER"] ?? "http://127.0.0.1:8400/api/oidc"
    let app = try AppEntitlements(
      app: "com.contoso.terminal", publisher: "com.contoso",
      groups: ["com.contoso.terminal", "com.contoso.shared"])
    var configuration = PublicClientConfiguration(clientID: "contoso-suite", authority: try Authority(issuer))
    configuration.keychainSharingGroup = "com.contoso.shared"
    configuration.clientCapabilities = ["cp1"]
    let application = try PublicClientApplication(configuration, for: app)
    switch command {
    case "accounts":
      for account in try await application.allAccounts() { print(account.username) }
    case "sign-in":
      do {
        let result = try await acquireToken(application)
        if let error = result.saveError { throw error }
        print("\(result.account.username) is signed in.")
      } catch let error as SecretStoreError {
        guard let scopes = error.declinedScopes else { throw error }
        if let error = scopes.result?.saveError { throw error }
        print("Signed in, but the provider declined \(scopes.declined).")
      }
    case "sign-out":
      for account in try await application.allAccounts() { try await application.removeAccount(account) }
    default:
      guard let account = try await application.allAccounts().first else {
        throw SecretStoreError(.interactionRequired, "Nobody is signed in.")
      }
      let result = try await application.acquireTokenSilent(scopes: scopes, account: account)
      print("A token for \(account.username), from the \(result.source.rawValue).")
    }
  }

  private static func acquireToken(_ application: PublicClientApplication) async throws -> TokenResult {
    do {
      guard let account = try await application.allAccounts().first else {
        throw SecretStoreError(.interactionRequired, "Nobody is signed in.")
      }
      return try await application.acquireTokenSilent(scopes: scopes, account: account)
    } catch SecretStoreError.Code.interactionRequired {
      return try await application.acquireToken(scopes: scopes) { code in
        print(code.message)
        fflush(nil)
      }
    }
  }
}
