// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The apps of this desktop, by their `.desktop` files, and which of them this process is.
///
/// ```swift
/// let app = try InstalledApps().entitlements(for: "com.contoso.mail")
/// let cache = try SecretStore().tokenCache(for: app, clientID: "contoso-suite", authority: authority)
/// ```
///
/// So what an app states about itself is written in the file that is installed with it. An app that has none,
/// or is tried out before it is installed, states it in its code or in a property list instead.
public struct InstalledApps: Sendable {
  private let files: any ManifestSource
  private let facts: any ProcessFactsSource

  /// The apps along `XDG_DATA_HOME` and `XDG_DATA_DIRS`; nothing is read yet.
  public init() { self.init(environment: ProcessEnvironment.current) }

  /// The apps of another environment.
  ///
  /// - Parameters:
  ///   - environment: The variables that count.
  ///   - root: What stands before the paths of the system's files; empty for this system's.
  package init(environment: [String: String], root: String = "") {
    files = DesktopFiles(directories: DataDirectories(environment: environment))
    facts = SystemProcessFacts(root: root, environment: environment)
  }

  /// Reads the manifests.
  public func catalog() -> ManifestCatalog {
    let found = files.manifestFiles()
    let isSandboxed = sandbox != nil
    return ManifestCatalog(found, schemeHandlers: isSandboxed ? nil : DesktopSchemeHandlers())
  }

  /// What an app may use by its manifest.
  ///
  /// - Parameter app: The app's id; `nil` to find out which app this process is.
  /// - Throws: `identityMismatch` when this process is another app, `invalidArgument` for a malformed id, or
  ///   when nothing tells which app this process is, `notEntitled` when there is no manifest of it or it is
  ///   refused.
  public func entitlements(for app: String? = nil) throws(SecretStoreError) -> AppEntitlements {
    let identity = try identity(of: app)
    return try ManifestCatalog(files.manifestFiles()).entitlements(for: identity.app)
  }

  /// Which app this process is.
  ///
  /// - Parameter app: What the app says it is; `nil` when it says nothing.
  /// - Throws: `identityMismatch` when this process is another app, `invalidArgument` for a malformed id, or
  ///   when nothing tells which app this process is.
  public func identity(of app: String? = nil) throws(SecretStoreError) -> AppIdentity {
    let stated: AppIdentifier?
    if let app { stated = try AppIdentifier(app) } else { stated = nil }
    return try AppIdentity(stated: stated, facts: facts.processFacts())
  }

  /// Which apps URLs are opened with: as GIO knows it, or in a Flatpak, which does not see the desktop's
  /// database, as the manifests say; `nil` in a snap, which sees neither.
  public func schemeHandlers() -> (any SchemeHandlers)? {
    switch sandbox {
    case nil: DesktopSchemeHandlers()
    case .flatpak: ManifestCatalog(files.manifestFiles())
    case .snap: nil
    }
  }

  private enum Sandbox { case flatpak, snap }

  private var sandbox: Sandbox? {
    let facts = facts.processFacts()
    if facts.flatpak != .none { return .flatpak }
    return facts.isInSnap ? .snap : nil
  }
}
