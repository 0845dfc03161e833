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

  private let client: SecretServiceClient
  private let group: AccessGroup
  private let timeout: Duration
  private let bell = Doorbell()
  private let connected = Locked(Connected())

  init(client: SecretServiceClient, group: AccessGroup, timeout: Duration) {
    self.client = client
    self.group = group
    self.timeout = timeout
  }

  func wait(atMost limit: Duration) async { await bell.wait(atMost: limit) }

  func state() async -> GroupState {
    do {
      return try await Deadline.run(within: timeout) {
        do {
          return try await look()
        } catch let error as BusError {
          throw error.storeError
        }
      }
    } catch {
      return GroupState(error) ?? .unavailable
    }
  }

  /// Opens the group once for each daemon, as any call does; after that a lock stands until an app needs the group.
  private func look() async throws -> GroupState {
    let handle = try await connect()
    let finder = GroupFinder(client: client, group: group)
    let opens = connected.withLock { $0.opened != handle.daemon }
    let place = try await finder.find(opening: opens)
    connected.withLock { $0.opened = handle.daemon }
    return place.map { .open(place: $0.placement.description) } ?? .absent
  }

  /// The connection of now, which is listened to before anything is read over it.
  private func connect() async throws -> ServiceHandle {
    let handle = try await client.connection()
    if connected.withLock({ $0.handle === handle }) { return handle }
    let bell = bell
    let subscriptions = await handle.subscribe(toChangesOf: group.description) {
      Task { await bell.ring() }
    }
    connected.withLock {
      $0.handle = handle
      $0.subscriptions = subscriptions
    }
    return handle
  }
}
