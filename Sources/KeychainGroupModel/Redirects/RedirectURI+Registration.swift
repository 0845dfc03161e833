// SPDX-License-Identifier: MIT

extension RedirectURI {
  /// Whether the scheme must be registered with the desktop.
  ///
  /// It must for all forms except `https` and loopback addresses.
  public var needsRegistration: Bool { form != .link && form != .loopback }

  /// The line of the app's `.desktop` file that registers the scheme.
  public var registrationLine: String { Self.registrationLine(for: scheme) }

  /// The line of a `.desktop` file that registers a scheme.
  static func registrationLine(for scheme: String) -> String { "MimeType=\(schemeHandlerPrefix)\(scheme);" }

  /// The prefix of the scheme in a media type.
  static let schemeHandlerPrefix = "x-scheme-handler/"

  /// Whether MSAL's or ADAL's redirect URIs have such a scheme: it contains `msauth`, or is `msal<client id>`.
  static func isLibraryScheme(_ scheme: String) -> Bool {
    let scheme = scheme.lowercased()
    return scheme.contains("msauth") || scheme.hasPrefix("msal")
  }

  /// Checks that the desktop opens the redirect URI with the app.
  ///
  /// - Parameter handlers: The apps that the desktop opens URLs with, as `InstalledApps.schemeHandlers()` returns them;
  ///   `nil` where they are unknown, and nothing is checked.
  /// - Throws: `invalidRedirectURI` when no `.desktop` file registers the scheme for the app, or the desktop opens the
  ///   scheme with another app. The message holds the line or the command that fixes it.
  public func requireRegistered(with handlers: (any SchemeHandlers)?) throws(SecretStoreError) {
    guard needsRegistration, let handlers else { return }
    if let problem = Self.problem(of: scheme, for: app.name, with: handlers) { throw problem.error }
  }

  /// Returns the reason why the desktop does not open a scheme with an app, or `nil` when it does.
  static func problem(
    of scheme: String, for app: String, with handlers: any SchemeHandlers
  ) -> RedirectProblem? {
    let apps = handlers.apps(for: scheme)
    guard apps.contains(app) else {
      return RedirectProblem(
        .schemeNotRegistered,
        "The desktop doesn't open \(scheme): URLs with \(app). Its file \(app).desktop needs the line"
          + " \(registrationLine(for: scheme)) and an Exec whose program is there; then run"
          + " update-desktop-database on the file's folder.")
    }
    guard let first = apps.first, first != app else { return nil }
    let other = IdentifierRule.problem(with: first) == nil ? first : "another app"
    return RedirectProblem(
      .schemeOpensAnotherApp,
      "The desktop opens \(scheme): URLs with \(other) and not with \(app). Give the app a scheme of its"
        + " own, or make it the default: xdg-mime default \(app).desktop \(schemeHandlerPrefix)\(scheme)")
  }

  /// Chooses an app's redirect URI and checks that the desktop opens it with the app.
  ///
  /// - Parameters:
  ///   - text: The URI. `nil` stands for the default, `msauth.<app id>://auth`. If the scheme of the default is not
  ///     registered for the app but the scheme `msal<client id>` is, `nil` stands for `msal<client id>://auth`.
  ///   - app: The app that the URI belongs to.
  ///   - clientID: The app's client ID.
  ///   - handlers: The apps that the desktop opens URLs with, as `InstalledApps.schemeHandlers()` returns them; `nil`
  ///     where they are unknown, and nothing is checked.
  /// - Throws: `invalidRedirectURI`; see ``init(_:for:)`` and ``requireRegistered(with:)``.
  public init(
    _ text: String? = nil, for app: AppIdentifier, clientID: String,
    registeredWith handlers: (any SchemeHandlers)?
  ) throws(SecretStoreError) {
    if let text {
      try self.init(text, for: app)
    } else {
      self = try Self.standard(for: app, clientID: clientID, handlers)
    }
    try requireRegistered(with: handlers)
  }

  private static func standard(
    for app: AppIdentifier, clientID: String, _ handlers: (any SchemeHandlers)?
  ) throws(SecretStoreError) -> RedirectURI {
    let standard = try RedirectURI(defaultFor: app)
    guard let handlers, !handlers.apps(for: standard.scheme).contains(app.name),
      let other = try? RedirectURI("msal\(clientID)://auth", for: app),
      handlers.apps(for: other.scheme).contains(app.name)
    else { return standard }
    return other
  }
}
