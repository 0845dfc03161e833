// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The apps of this desktop according to their `.desktop` files, and the one that this process is.
///
/// ```swift
/// let app = try InstalledApps().entitlements(for: "com.contoso.mail")
/// let cache = try SecretStore().tokenCache(for: app, clientID: "contoso-suite", authority: authority)
/// ```
///
/// An app states its entitlements in the file that is installed with it. An app without one, or one that is tested
/// before it is installed, states them in its code or in a property list instead.
public struct InstalledApps: Sendable {
  private let files: DesktopFiles
  private let facts: any ProcessFactsSource

  /// Creates an instance for the apps in `XDG_DATA_HOME` and `XDG_DATA_DIRS`; nothing is read yet.
  public init() { self.init(environment: ProcessEnvironment.current) }

  /// Creates an instance for the apps of another environment.
  ///
  /// - Parameters:
  ///   - environment: The environment variables to use.
  ///   - root: The prefix of the paths of system files; empty for this system.
  package init(environment: [String: String], root: String = "") {
    files = DesktopFiles(directories: DataDirectories(environment: environment))
    facts = SystemProcessFacts(root: root, environment: environment)
  }

  /// Reads the manifests.
  package func catalog() -> ManifestCatalog {
    let found = files.manifestFiles()
    let isSandboxed = sandbox != nil
    return ManifestCatalog(found, schemeHandlers: isSandboxed ? nil : DesktopSchemeHandlers())
  }

  /// The folders whose apps do not count because this user must not read them, and what is no folder in their place.
  package var closedFolders: [String] { files.closedFolders }

  /// Returns the entitlements of an app according to its manifest.
  ///
  /// - Parameter app: The app's id; `nil` to find out which app this process is.
  /// - Throws: `identityMismatch` when this process is another app; `invalidArgument` for a malformed id, or when
  ///   nothing states which app this process is; `notEntitled` when the app has no manifest, or its manifest is
  ///   refused.
  public func entitlements(for app: String? = nil) throws(SecretStoreError) -> AppEntitlements {
    let identity = try identity(of: app)
    return try ManifestCatalog(files.manifestFiles()).entitlements(for: identity.app)
  }

  /// Returns the identity of this process as an app.
  ///
  /// - Parameter app: The id that the app states; `nil` when it states none.
  /// - Throws: `identityMismatch` when this process is another app; `invalidArgument` for a malformed id, or when
  ///   nothing states which app this process is.
  package func identity(of app: String? = nil) throws(SecretStoreError) -> AppIdentity {
    let stated: AppIdentifier?
    if let app { stated = try AppIdentifier(app) } else { stated = nil }
    return try AppIdentity(stated: stated, facts: facts.processFacts())
  }

  /// Returns the apps with which the desktop opens URLs; `nil` in a snap, where they are unknown.
  ///
  /// They come from GIO, which reads the desktop's database. After a `.desktop` file was added or changed, run
  /// `update-desktop-database` on its folder. An app whose program does not exist is skipped. A Flatpak does not see
  /// that database: there, the app's own `.desktop` file counts.
  public func schemeHandlers() -> (any SchemeHandlers)? {
    switch sandbox {
    case nil: DesktopSchemeHandlers()
    case .flatpak: ManifestCatalog(files.manifestFiles())
    case .snap: nil
    }
  }

  /// Checks that an app's redirect URI is its own, and that the desktop opens it with the app.
  func check(_ redirectURI: RedirectURI, of app: AppIdentifier) throws(SecretStoreError) {
    guard redirectURI.app == app else {
      throw SecretStoreError(
        .invalidArgument, "The redirect URI \(redirectURI) is that of \(redirectURI.app), not of \(app).")
    }
    try redirectURI.requireRegistered(with: schemeHandlers())
  }

  private enum Sandbox { case flatpak, snap }

  private var sandbox: Sandbox? {
    let facts = facts.processFacts()
    if facts.flatpak != .none { return .flatpak }
    return facts.isInSnap ? .snap : nil
  }
}
