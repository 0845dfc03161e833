// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Watches a group in the Secret Service: by what other users of this library tell, and by the provider's own signals.
final class SecretServiceWatch: GroupWatch {
  private struct Connected {
    /// Another connection needs subscriptions of its own; this one is not kept from ending.
    weak var handle: ServiceHandle?
    var subscriptions: BusListening?
    /// Which daemon the group was opened on.
    var opened: String?
  }

  private let backend: SecretServiceBackend
  private let bell = Doorbell()
  private let connected = Locked(Connected())

  init(_ backend: SecretServiceBackend) { self.backend = backend }

  func wait(atMost limit: Duration) async { await bell.wait(atMost: limit) }

  func look(for queries: [RecordQuery]) async -> GroupView {
    do {
      return try await backend.guarded("looks at the group", queries, count: \.records.count) {
        try await self.view(for: queries)
      }
    } catch {
      return GroupView(error)
    }
  }

  /// Opens the group once for each daemon, as any call does; after that a lock stands until an app needs the group.
  private func view(for queries: [RecordQuery]) async throws -> GroupView {
    let handle = try await connect()
    let finder = GroupFinder(client: backend.client, group: backend.group)
    let opens = connected.withLock { $0.opened != handle.daemon }
    let place = try await finder.find(opening: opens)
    connected.withLock { $0.opened = handle.daemon }
    guard let place else { return .absent }
    let records = try await backend.found(by: queries, opening: opens)
    return GroupView(place: place.placement.description, records: records)
  }

  /// The connection of now, which is listened to before anything is read over it.
  private func connect() async throws -> ServiceHandle {
    let handle = try await backend.client.connection()
    if connected.withLock({ $0.handle === handle }) { return handle }
    let bell = bell
    let subscriptions = await handle.subscribe(toChangesOf: backend.group.description) {
      Task { await bell.ring() }
    }
    connected.withLock {
      $0.handle = handle
      $0.subscriptions = subscriptions
    }
    return handle
  }
}
