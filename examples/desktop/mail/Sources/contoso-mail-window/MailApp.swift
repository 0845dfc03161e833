// SPDX-License-Identifier: MIT

import ContosoIdentity
import SecretStoreCache

/// Who the app is: what its `.desktop` file says, too.
enum MailApp {
  /// The desktop application id: of the bus name, of the `.desktop` file and of the entitlements.
  static let identifier = "com.contoso.mail"

  static let entitlements: AppEntitlements = {
    do {
      return try AppEntitlements(app: identifier, publisher: "com.contoso", groups: ["com.contoso.shared"])
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// Creates the core library's client, by the settings of the suite.
  ///
  /// The response to a sign-in comes by the app's scheme. Where the app is not installed, and the desktop does not know
  /// the scheme, it comes by a port, as for the app's command line.
  static func client(
    onStray: @escaping @Sendable (String) -> Void
  ) throws(SecretStoreError) -> PublicClient {
    let settings = SuiteSettings.current
    guard !settings.issuer.isEmpty else {
      throw SecretStoreError(.invalidArgument, "Name the provider in the variable CONTOSO_ISSUER.")
    }
    let store = SecretStore()
    func client(_ redirectURI: String) throws(SecretStoreError) -> PublicClient {
      try PublicClient(
        entitlements: entitlements, clientID: settings.clientID, authority: Authority(settings.issuer),
        redirectURI: redirectURI, expiryBuffer: max(0, settings.expiryBuffer), store: store, onStray: onStray)
    }
    do throws(SecretStoreError) {
      return try client("msauth.\(identifier)://auth")
    } catch {
      guard error.code == .invalidRedirectURI else { throw error }
      return try client("http://127.0.0.1:8401/\(identifier)")
    }
  }

  static var scopes: Scopes { Scopes(target: SuiteSettings.current.scopes) }
}
