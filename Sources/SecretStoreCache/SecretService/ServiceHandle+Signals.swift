// SPDX-License-Identifier: MIT

import CLibSecret

/// How users of this library tell each other that a group has changed: Secret Services say nothing of a changed secret.
extension ServiceHandle {
  private static let changesPath = "/org/secretstorecache/Changes"
  private static let changesInterface = "org.secretstorecache.Changes"
  private static let changedMember = "Changed"

  /// Tells whoever watches a group that it has changed.
  ///
  /// The bus has it when this returns, since it has answered a later call: a process may end then. Where the bus does not
  /// take it, as from some sandboxes, or does not answer before the deadline, those who watch see the change when they
  /// look again.
  func tellChange(of group: String) async throws {
    try calls.send(
      BusMessage(signal: Self.changedMember, of: Self.changesInterface, from: Self.changesPath) {
        [.string(group)]
      })
    _ = try await calls.call(.waited, BusMessage(calling: Self.ping) { [] })
  }

  private static let ping = BusMethod(
    service: "org.freedesktop.DBus", path: ObjectPath("/org/freedesktop/DBus"),
    interface: "org.freedesktop.DBus.Peer", name: "Ping")

  /// Listens to all that may tell of a change of a group: to other users of this library and to the provider.
  func subscribe(
    toChangesOf group: String, _ handler: @escaping @Sendable () -> Void
  ) async -> BusListening {
    var others = Self.changes
    others.argument = group
    return await subscribe([others] + Self.providerSignals, handler)
  }

  private func subscribe(
    _ filters: [BusSubscription.Filter], _ handler: @escaping @Sendable () -> Void
  ) async -> BusListening {
    await onGLibThread { [self] in
      BusListening(
        filters.map { filter in unsafe BusSubscription(filter, on: bus) { _ in handler() } },
        unsafe BusClosure(of: bus, handler))
    }
  }

  /// That a user of this library has changed a group.
  static let changes = BusSubscription.Filter(
    interface: changesInterface, member: changedMember, path: changesPath)

  private static let providerSignals =
    [
      "org.freedesktop.Secret.Service", "org.freedesktop.Secret.Collection",
      "org.freedesktop.DBus.Properties",
    ]
    .map { BusSubscription.Filter(sender: busName, interface: $0) } + [ownerChanges]

  /// That a collection is gone.
  static let deletedCollections = BusSubscription.Filter(
    sender: busName, interface: "org.freedesktop.Secret.Service", member: "CollectionDeleted")

  /// The provider's coming and going.
  static let ownerChanges = BusSubscription.Filter(
    sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
    path: "/org/freedesktop/DBus", argument: busName)
}
