// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel

/// The session's Secret Service, as the home of access groups.
///
/// ```swift
/// let store = SecretStore()
/// let app = try AppEntitlements(
///   app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
/// let cache = try store.tokenCache(
///   for: app, group: "com.contoso.shared", clientID: "contoso-suite",
///   authority: try Authority("https://id.contoso.com"), endpoint: endpoint)
/// ```
///
/// Keep one for the process: it holds the connection, which is made with the first call and again after the
/// daemon was restarted. It works on the session bus of the process (`DBUS_SESSION_BUS_ADDRESS`).
public final class SecretStore: Sendable {
  let client: SecretServiceClient
  private let mirrors = Locked<[AccessGroup: Mirror]>([:])
  let options: SecretStoreOptions
  /// The apps that this process was found to be when it first opened a group as one.
  private let identities = Locked<Set<AppIdentifier>>([])

  /// Makes a store; nothing is connected yet.
  public init(options: SecretStoreOptions = SecretStoreOptions()) {
    self.options = options
    self.client = SecretServiceClient(
      allowsPlainTransport: options.allowsPlainTransport, logger: options.logger,
      locks: LockSharing(stated: options.sharesLocks, facts: options.processFacts))
  }

  /// Opens a group for an app.
  ///
  /// - Parameters:
  ///   - app: What the app states about itself.
  ///   - group: The group's name; `nil` for the app's sharing group.
  /// - Throws: `notEntitled` at once when the app does not list the group, `identityMismatch` when this
  ///   process is another app by what its Flatpak, its snap or its systemd unit say.
  public func backend(
    for app: AppEntitlements, group: String? = nil
  ) throws(SecretStoreError) -> SecretServiceBackend {
    if options.checksIdentity { try checkIdentity(app.app) }
    let chosen: AccessGroup
    if let group { chosen = try app.group(group) } else { chosen = app.keychainSharingGroup }
    return unrestrictedBackend(for: chosen)
  }

  private func checkIdentity(_ app: AppIdentifier) throws(SecretStoreError) {
    if identities.withLock({ $0.contains(app) }) { return }
    _ = try AppIdentity(stated: app, facts: options.processFacts.processFacts())
    identities.withLock { _ = $0.insert(app) }
  }

  /// Opens a group for the person at the keyboard, who may look at and change all that is theirs.
  ///
  /// Apps open theirs by their entitlements.
  public func unrestrictedBackend(for group: AccessGroup) -> SecretServiceBackend {
    SecretServiceBackend(group: group, client: client, options: options, mirror: mirror(of: group))
  }

  /// What all back ends of a group keep in memory; `nil` where nothing is.
  private func mirror(of group: AccessGroup) -> Mirror? {
    guard options.keepsMirror, client.locks.isShared else { return nil }
    return mirrors.withLock { mirrors in
      if let mirror = mirrors[group] { return mirror }
      let mirror = Mirror(client: client, group: group)
      mirrors[group] = mirror
      return mirror
    }
  }

  /// Opens a group for an app as a token cache; see `TokenCache`.
  ///
  /// - Throws: `notEntitled` at once when the app does not list the group.
  public func tokenCache(
    for app: AppEntitlements, group: String? = nil, clientID: String, authority: Authority,
    endpoint: (any TokenEndpoint)? = nil, options: TokenCacheOptions = TokenCacheOptions()
  ) throws(SecretStoreError) -> TokenCache {
    TokenCache(
      backend: try backend(for: app, group: group), app: app.app, clientID: clientID, authority: authority,
      endpoint: endpoint, options: options)
  }

  /// Opens an app's own secrets, in all of its groups; see `AppSecrets`.
  ///
  /// No call is made for it.
  public func secrets(for app: AppEntitlements) -> AppSecrets {
    AppSecrets(for: app) { unrestrictedBackend(for: $0) }
  }

  /// The groups that there are, of every publisher, sorted by name.
  ///
  /// Locked groups are listed by what the login collection knows of them; nothing is unlocked for this.
  public func groups() async throws -> [GroupSummary] {
    try await guarded { try await GroupList(client: $0).summaries() }
  }

  /// Connects, so that the next call need not wait for as long; that one says what is amiss.
  package func connect() async {
    _ = try? await guarded { try await $0.connection() }
  }

  /// Runs a public call: with its deadline, and with D-Bus errors made errors of the library.
  ///
  /// - Parameter limit: By when it has ended; the store's `timeout` when `nil`.
  func guarded<Outcome>(
    within limit: Duration? = nil, _ body: (SecretServiceClient) async throws -> Outcome
  ) async throws -> Outcome {
    try await Deadline.run(within: limit ?? options.timeout) {
      do {
        return try await body(client)
      } catch let error as BusError {
        throw error.storeError
      }
    }
  }
}
