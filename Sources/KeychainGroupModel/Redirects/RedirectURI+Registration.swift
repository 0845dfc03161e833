// SPDX-License-Identifier: MIT

extension RedirectURI {
  /// Whether the desktop must know the scheme: for all forms but `https` and loopback addresses.
  public var needsRegistration: Bool { form != .link && form != .loopback }

  /// The line of the app's `.desktop` file that registers the scheme.
  public var registrationLine: String { Self.registrationLine(for: scheme) }

  /// The line of a `.desktop` file that registers a scheme.
  static func registrationLine(for scheme: String) -> String { "MimeType=\(schemeHandlerPrefix)\(scheme);" }

  /// What stands before the scheme in a media type.
  static let schemeHandlerPrefix = "x-scheme-handler/"

  /// Checks that the desktop brings the answer to the app.
  ///
  /// - Throws: `invalidRedirectURI` when no `.desktop` file registers the scheme for the app, with the line
  ///   that would, or when the desktop opens it with another app.
  public func requireRegistered(with handlers: any SchemeHandlers) throws(SecretStoreError) {
    guard needsRegistration else { return }
    if let problem = Self.problem(of: scheme, for: app.name, with: handlers) { throw problem.error }
  }

  /// What keeps the desktop from opening a scheme with an app.
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

  /// Chooses an app's redirect URI and checks that the desktop brings the answer to the app.
  ///
  /// - Parameters:
  ///   - text: The URI; `nil` for the default, `msauth.<app id>://auth`, or where only that one's scheme is
  ///     registered, `msal<client id>://auth`.
  ///   - app: The app whose URI it is.
  ///   - clientID: The app's client id.
  ///   - handlers: Which apps the desktop opens URLs with.
  /// - Throws: `invalidRedirectURI`; see ``init(_:for:)`` and ``requireRegistered(with:)``.
  public init(
    _ text: String? = nil, for app: AppIdentifier, clientID: String,
    registeredWith handlers: any SchemeHandlers
  ) throws(SecretStoreError) {
    if let text {
      try self.init(text, for: app)
    } else {
      self = try Self.standard(for: app, clientID: clientID, handlers)
    }
    try requireRegistered(with: handlers)
  }

  private static func standard(
    for app: AppIdentifier, clientID: String, _ handlers: any SchemeHandlers
  ) throws(SecretStoreError) -> RedirectURI {
    let standard = try RedirectURI(defaultFor: app)
    guard !handlers.apps(for: standard.scheme).contains(app.name),
      let other = try? RedirectURI("msal\(clientID)://auth", for: app),
      handlers.apps(for: other.scheme).contains(app.name)
    else { return standard }
    return other
  }
}
