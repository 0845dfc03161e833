// SPDX-License-Identifier: MIT

/// Change signals between users of this library. A Secret Service does not signal that a secret has changed.
extension ServiceHandle {
  private static let changesPath = "/org/secretstorecache/Changes"
  private static let changesInterface = "org.secretstorecache.Changes"
  private static let changedMember = "Changed"

  /// Signals to those who watch a group that it has changed.
  ///
  /// The bus has received the signal when this returns, since it has replied to a later call. So the process may end
  /// then. Some sandboxes block the signal, and the bus may not reply before the deadline. Those who watch then see
  /// the change when they read the group the next time.
  func signalChange(of group: String) async throws {
    try calls.send(
      BusMessage(signal: Self.changedMember, of: Self.changesInterface, from: Self.changesPath) {
        [try .string(group)]
      })
    try await calls.flush()
  }

  /// Subscribes to all signals that may mean a change of a group: those of other users of this library and the
  /// provider's.
  func subscribe(
    toChangesOf group: String, _ handler: @escaping @Sendable () -> Void
  ) async -> BusListening {
    var others = Self.changes
    others.argument = group
    return await subscribe([others] + providerSignals, handler)
  }

  /// Subscribes to the signals that may mean a change of the list of groups.
  func subscribe(toChangesOfGroupList handler: @escaping @Sendable () -> Void) async -> BusListening {
    let service = BusSubscription.Filter(sender: owner, interface: "org.freedesktop.Secret.Service")
    return await subscribe([Self.changes, service, Self.ownerChanges], handler)
  }

  private func subscribe(
    _ filters: [BusSubscription.Filter], _ handler: @escaping @Sendable () -> Void
  ) async -> BusListening {
    await onGLibThread { [self] in
      BusListening(
        filters.map { filter in unsafe BusSubscription(filter, on: bus) { _ in handler() } },
        unsafe ConnectionCloseObserver(of: bus, handler))
    }
  }

  /// The signal that a group has changed; any program can send it, so it is only a reason to read the group.
  static let changes = BusSubscription.Filter(
    interface: changesInterface, member: changedMember, path: changesPath)

  private var providerSignals: [BusSubscription.Filter] {
    [
      "org.freedesktop.Secret.Service", "org.freedesktop.Secret.Collection",
      "org.freedesktop.DBus.Properties",
    ]
    .map { BusSubscription.Filter(sender: owner, interface: $0) } + [Self.ownerChanges]
  }

  /// The signal of a daemon that a collection was deleted.
  static func deletedCollections(of owner: String) -> BusSubscription.Filter {
    BusSubscription.Filter(
      sender: owner, interface: "org.freedesktop.Secret.Service", member: "CollectionDeleted")
  }

  /// The signal that the provider has started or ended.
  static let ownerChanges = BusSubscription.Filter(
    sender: SentCalls.bus, interface: SentCalls.bus, member: "NameOwnerChanged",
    path: "/org/freedesktop/DBus", argument: busName)
}

/// The number of change signals received since the session began.
struct ChangeCounts: Sendable {
  /// Signals of the provider.
  var provider = 0
  /// Signals of other users of this library, by group.
  ///
  /// Only groups that ``ServiceHandle/changeCount(of:)`` was called for are counted. Any program can send such a
  /// signal.
  var groups: [String: Int] = [:]
}
