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
    /// Where the group was by its marker, the last time that there was one; else where most are.
    var place = GroupPlacement.dedicated.description
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
    let opens = connected.withLock { $0.opened != handle.daemon }
    let isMarked = try await findMarker(opening: opens)
    connected.withLock { $0.opened = handle.daemon }
    let records = try await backend.found(by: queries, opening: opens)
    // Records are read without their marker, too, which the next new one makes again.
    guard isMarked || !records.isEmpty else { return .absent }
    return GroupView(place: connected.withLock(\.place), records: records)
  }

  /// Finds out where the group is.
  ///
  /// - Returns: Whether it has a marker.
  private func findMarker(opening opens: Bool) async throws -> Bool {
    let finder = GroupFinder(client: backend.client, group: backend.group)
    do {
      guard let place = try await finder.find(opening: opens) else { return false }
      connected.withLock { $0.place = place.placement.description }
    } catch let error as SecretStoreError where error.code == .corruptItem {}
    return true
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
