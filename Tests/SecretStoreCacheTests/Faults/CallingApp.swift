// SPDX-License-Identifier: MIT

@testable import SecretStoreCache

/// An app that makes the public calls, with its own store, on groups in the mock service.
struct CallingApp: Sendable {
  /// The content of the mock service before each call.
  struct PreparedGroups: Sendable {
    let names: RoundTripGroup
    let account: Account
  }

  let groups: PreparedGroups
  let store: SecretStore
  let group: AccessGroup
  let other: AccessGroup
  let shared: AccessGroup

  /// Whether the service deletes without a prompt.
  let deletesAtOnce: Bool

  init(_ groups: PreparedGroups, _ call: PublicCall) throws {
    self.groups = groups
    deletesAtOnce = call.isGnome
    var options = SecretStoreOptions()
    options.placement = call.placement
    store = SecretStore(options: options)
    (group, other, shared) = try Self.accessGroups(groups.names)
  }

  var account: Account { groups.account }

  var backend: SecretServiceBackend { store.unrestrictedBackend(for: group) }

  func cache() throws -> TokenCache { try groups.names.cache(store) }

  func secrets() throws -> AppSecrets {
    try store.secrets(for: try AppEntitlements(app: "com.example.mail", groups: [group.name]))
  }

  /// Fails when a call succeeds with an unexpected result.
  func require(_ isAsExpected: Bool) throws {
    if !isAsExpected { throw PrivateSession.Failed(description: "The call brought something else.") }
  }

  private static func accessGroups(
    _ names: RoundTripGroup
  ) throws -> (AccessGroup, AccessGroup, AccessGroup) {
    (
      try AccessGroup(names.name), try AccessGroup("\(names.name).other"),
      try AccessGroup("\(names.name).shared")
    )
  }

  private static let fillings = Locked<[Bool: PreparedGroups]>([:])

  /// The content of the mock service for a kind of provider, created once.
  static func filled(isGnome: Bool) async throws -> PreparedGroups {
    if let groups = fillings.withLock({ $0[isGnome] }) { return groups }
    let groups = try await fill(isGnome: isGnome)
    fillings.withLock { $0[isGnome] = groups }
    return groups
  }

  private static func fill(isGnome: Bool) async throws -> PreparedGroups {
    try await MockService.shared.clear()
    try await MockService.shared.reset(isGnome: isGnome)
    let names = try RoundTripGroup()
    let (group, _, shared) = try accessGroups(names)
    var options = SecretStoreOptions()
    options.placement = .dedicated
    let store = SecretStore(options: options)
    try await store.createGroup(group, promptPolicy: isGnome ? .never : .allowed())
    try await ServiceSupport.write("kept", to: store.unrestrictedBackend(for: group))
    let cache = try names.cache(store)
    try await cache.save(RoundTripGroup.response(account: 1), scopes: RoundTripGroup.scopes)
    let app = try AppEntitlements(app: "com.example.mail", groups: [group.name])
    try await store.secrets(for: app).set(Secret("kept"), service: "imap")
    options.placement = .shared
    try await ServiceSupport.write("kept", to: SecretStore(options: options).unrestrictedBackend(for: shared))
    let client = SecretServiceClient()
    if let collection = try await client.collection(alias: "default") {
      _ = try await client.createItem(
        in: collection, label: "Foreign", attributes: ["foreign": "yes", "host": "smtp"], schema: "foreign",
        secret: Secret("moved"))
    }
    guard let account = try await cache.accounts().first else {
      throw PrivateSession.Failed(description: "The account that was saved is not there.")
    }
    try await MockService.shared.snapshot()
    return PreparedGroups(names: names, account: account)
  }
}
