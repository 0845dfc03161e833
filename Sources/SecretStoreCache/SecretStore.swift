// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel

/// The session's Secret Service as a store for access groups.
///
/// ```swift
/// let store = SecretStore()
/// let app = try AppEntitlements(
///   app: "com.contoso.mail", publisher: "com.contoso", groups: ["com.contoso.shared"])
/// let authority = try Authority("https://id.contoso.com", tokenEndpoint: tokenEndpoint)
/// let cache = try store.tokenCache(
///   for: app, group: "com.contoso.shared", clientID: "contoso-suite", authority: authority, endpoint: endpoint)
/// ```
///
/// Keep one store per process. It holds the D-Bus connection, which is opened by the first call and again after the
/// daemon was restarted. It uses the process's session bus (`DBUS_SESSION_BUS_ADDRESS`).
public final class SecretStore: Sendable {
  package let client: SecretServiceClient
  private let recordCaches = Locked<[AccessGroup: RecordCache]>([:])
  /// The back ends of the agent's groups; each has one connection.
  private let agentBackends = Locked<[AccessGroup: AgentBackend]>([:])
  package let options: SecretStoreOptions
  /// Whether this process asks the agent by itself; `nil` until it is known.
  private let isForAgent = Locked<Bool?>(nil)
  /// The app identifiers that were already checked against this process.
  private let identities = Locked<Set<AppIdentifier>>([])

  /// Creates a store; it does not connect yet.
  public init(options: SecretStoreOptions = SecretStoreOptions()) {
    self.options = options
    self.client = SecretServiceClient(
      allowsPlainTransport: options.allowsPlainTransport, logger: options.logger,
      locks: LockSharing(stated: options.sharesLocks, facts: options.processFacts))
  }

  /// Opens a group for an app.
  ///
  /// - Parameters:
  ///   - app: The app's entitlements.
  ///   - group: The group's name; `nil` for the app's sharing group.
  /// - Throws: `notEntitled` at once when the app does not list the group; `identityMismatch` when this process is
  ///   another app according to its Flatpak, its snap or its systemd unit.
  public func backend(
    for app: AppEntitlements, group: String? = nil
  ) throws(SecretStoreError) -> any TokenCacheBackend {
    if options.checksIdentity { try checkIdentity(app.app) }
    return try backend(for: app, group: group.map(app.group) ?? app.keychainSharingGroup)
  }

  /// Opens a group for an app.
  ///
  /// - Throws: As `backend(for:group:)` with the group's name.
  public func backend(
    for app: AppEntitlements, group: AccessGroup
  ) throws(SecretStoreError) -> any TokenCacheBackend {
    if options.checksIdentity { try checkIdentity(app.app) }
    try app.require(group)
    return backend(for: group)
  }

  /// Opens a group for the user, whose own tools and settings pages show and change everything in it.
  ///
  /// An app opens its groups by its entitlements: `backend(for:group:)`. Only the agent checks that the process is
  /// entitled to the group.
  public func backend(for group: AccessGroup) -> any TokenCacheBackend {
    switch options.transport {
    case .secretService: unrestrictedBackend(for: group)
    case .agent: agentBackend(for: group)
    case .automatic:
      asksAgent
        ? AutomaticBackend(agent: agentBackend(for: group), service: unrestrictedBackend(for: group))
        : unrestrictedBackend(for: group)
    }
  }

  /// Whether this process asks the agent by itself: in a snap, and in a Flatpak whose permissions name the agent.
  private var asksAgent: Bool {
    isForAgent.withLock { known in
      if let known { return known }
      let facts = options.processFacts.processFacts()
      let asks = facts.flatpak == .none ? facts.isInSnap : FlatpakMetadata().namesAgent
      known = asks
      return asks
    }
  }

  /// Returns whether a group is opened through the agent.
  func usesAgent(for group: AccessGroup) async throws -> Bool {
    switch options.transport {
    case .secretService: false
    case .agent: true
    case .automatic: asksAgent ? try await agentBackend(for: group).isReachable() : false
    }
  }

  /// Opens a group through the agent.
  package func agentBackend(for group: AccessGroup) -> AgentBackend {
    agentBackends.withLock { backends in
      if let backend = backends[group] { return backend }
      let backend = AgentBackend(
        group: group, timeout: options.timeout, leaseTimeout: options.leaseTimeout, logger: options.logger)
      backends[group] = backend
      return backend
    }
  }

  private func checkIdentity(_ app: AppIdentifier) throws(SecretStoreError) {
    if identities.withLock({ $0.contains(app) }) { return }
    _ = try AppIdentity(stated: app, facts: options.processFacts.processFacts())
    identities.withLock { _ = $0.insert(app) }
  }

  /// Opens a group for the user, who may view and change everything in it.
  ///
  /// Apps open their groups by their entitlements.
  package func unrestrictedBackend(for group: AccessGroup) -> SecretServiceBackend {
    SecretServiceBackend(
      group: group, client: client, placement: options.placement, timeout: options.timeout,
      leaseTimeout: options.leaseTimeout, recordCache: recordCache(of: group))
  }

  /// Returns the record cache that all back ends of a group share; `nil` where records are not cached.
  private func recordCache(of group: AccessGroup) -> RecordCache? {
    guard options.cachesRecords, client.locks.isShared else { return nil }
    return recordCaches.withLock { recordCaches in
      if let recordCache = recordCaches[group] { return recordCache }
      let recordCache = RecordCache(client: client, group: group)
      recordCaches[group] = recordCache
      return recordCache
    }
  }

  /// Opens a group for an app as a token cache; see `TokenCache`.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - group: The name of one of its groups; `nil` for its `keychainSharingGroup`.
  ///   - clientID: The app's client ID.
  ///   - redirectURI: The redirect URI of the app's sign-ins, which is checked; `nil` for an app without any. An
  ///     `https` or loopback URI needs no registration, and in a snap nothing can be checked.
  ///   - authority: The authority of the app.
  ///   - endpoint: The token endpoint, at which tokens are refreshed; `nil` for tokens from the cache only.
  ///   - options: How the cache works.
  /// - Throws: `notEntitled` at once when the app does not list the group; `identityMismatch` as for
  ///   `backend(for:group:)`; `invalidRedirectURI` when the desktop does not open the redirect URI with the app,
  ///   `invalidArgument` when the URI is another app's.
  public func tokenCache(
    for app: AppEntitlements, group: String? = nil, clientID: String, redirectURI: RedirectURI? = nil,
    authority: Authority, endpoint: (any TokenEndpoint)? = nil,
    options: TokenCacheOptions = TokenCacheOptions()
  ) throws(SecretStoreError) -> TokenCache {
    let group = if let group { try app.group(group) } else { app.keychainSharingGroup }
    return try tokenCache(
      for: app, group: group, clientID: clientID, redirectURI: redirectURI, authority: authority,
      endpoint: endpoint, options: options)
  }

  /// Opens a group for an app as a token cache.
  ///
  /// - Throws: As `tokenCache(for:group:…)` with the group's name.
  public func tokenCache(
    for app: AppEntitlements, group: AccessGroup, clientID: String, redirectURI: RedirectURI? = nil,
    authority: Authority, endpoint: (any TokenEndpoint)? = nil,
    options: TokenCacheOptions = TokenCacheOptions()
  ) throws(SecretStoreError) -> TokenCache {
    if let redirectURI { try InstalledApps().check(redirectURI, of: app.app) }
    return TokenCache(
      backend: try backend(for: app, group: group), app: app, clientID: clientID, authority: authority,
      endpoint: endpoint, options: options)
  }

  /// Opens an app's own secrets, in all of its groups; see `AppSecrets`.
  ///
  /// It makes no D-Bus call.
  ///
  /// - Throws: `identityMismatch` when this process is another app according to its Flatpak, its snap or its systemd
  ///   unit.
  public func secrets(for app: AppEntitlements) throws(SecretStoreError) -> AppSecrets {
    if options.checksIdentity { try checkIdentity(app.app) }
    return AppSecrets(for: app) { backend(for: $0) }
  }

  /// Returns the existing groups of every publisher, sorted by name.
  ///
  /// Locked groups are listed as far as the login collection identifies them; nothing is unlocked.
  public func groups() async throws -> [GroupSummary] {
    try await guarded { try await GroupList(client: $0).summaries() }
  }

  /// Returns the list of ``groups()``, and the list anew each time it changes.
  ///
  /// A list that can't be read is a failure, and the sequence goes on: it tries again every two seconds. It never
  /// prompts and unlocks nothing. It ends when the task that iterates it is cancelled.
  public func groupLists() -> AsyncStream<Result<[GroupSummary], SecretStoreError>> {
    let watch = GroupListWatch(client: client, timeout: options.timeout)
    return AsyncStream { await watch.next() }
  }

  /// Connects in advance, so that the next call is faster; an error is left for that call to report.
  package func connect() async {
    _ = try? await guarded { try await $0.connection() }
  }

  /// Runs a public call with its deadline, and converts D-Bus errors to `SecretStoreError`.
  ///
  /// - Parameter limit: The time limit of the call; `nil` for the store's `timeout`.
  package func guarded<Outcome>(
    within limit: Duration? = nil, _ body: (SecretServiceClient) async throws -> Outcome
  ) async throws -> Outcome {
    try await Deadline.run(within: limit ?? options.timeout, reply: options.timeout) {
      do {
        return try await body(client)
      } catch let error as BusError {
        throw error.storeError
      }
    }
  }
}
