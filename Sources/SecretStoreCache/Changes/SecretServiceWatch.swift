// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A watch of a group in the Secret Service, by the signals of other users of this library and of the provider.
///
/// A sandbox's bus may block both. In a sandbox the watch polls, and also reads the group when another process writes
/// in the lock folder, if that is shared.
final class SecretServiceWatch: GroupWatch {
  private struct Connected {
    /// The connection that is subscribed to; a weak reference, so that it can be released.
    weak var handle: ServiceHandle?
    var subscriptions: BusListening?
    /// The daemon on which the group was opened.
    var opened: String?
    /// The group's last known place by its marker; before that, the most common one.
    var placement = GroupPlacement.dedicated.description
  }

  /// The state of polling in a sandbox.
  private struct Seen {
    var pace = PollingPace()
    var revisions: [RecordKey: Int]?
    var folder: FolderWatch?
  }

  private let backend: SecretServiceBackend
  private let wakeSignal = WakeSignal()
  private let connected = Locked(Connected())
  /// The state of polling; `nil` outside of sandboxes.
  private let seen: Locked<Seen>?

  init(_ backend: SecretServiceBackend) {
    self.backend = backend
    let locks = backend.client.locks
    seen = locks.missesSignals ? Locked(Seen()) : nil
    guard let seen, locks.isShared, let folder = try? LockFolder.find() else { return }
    let watch = FolderWatch(folder.path) { [wakeSignal] in Task { await wakeSignal.wake() } }
    seen.withLock { $0.folder = watch }
  }

  func wait(atMost limit: Duration) async {
    let interval = seen?.withLock(\.pace.interval)
    await wakeSignal.wait(atMost: min(limit, interval ?? limit))
  }

  func observe(_ queries: [RecordQuery]) async -> GroupObservation {
    do {
      let observation = try await backend.guarded("looks at the group", queries, count: \.records.count) {
        try await self.observation(for: queries)
      }
      note(observation.records)
      return observation
    } catch {
      return GroupObservation(error)
    }
  }

  /// Adjusts the polling interval to what was read.
  private func note(_ records: [Record]) {
    guard let seen else { return }
    let revisions = Dictionary(
      records.map { ($0.key, (try? $0.document())?.metadata.revision ?? -1) }, uniquingKeysWith: max)
    seen.withLock { seen in
      seen.pace.notePoll(foundChange: seen.revisions != revisions)
      seen.revisions = revisions
    }
  }

  /// Reads the group.
  ///
  /// It opens the group once per daemon, as any call does. Later it leaves a locked group locked until an app opens
  /// it.
  private func observation(for queries: [RecordQuery]) async throws -> GroupObservation {
    let handle = try await connect()
    let opens = connected.withLock { $0.opened != handle.daemon }
    let isMarked = try await findMarker(opening: opens)
    connected.withLock { $0.opened = handle.daemon }
    let records = try await backend.found(by: queries, opening: opens)
    // Records without a marker are also read. The next new record creates the marker again.
    guard isMarked || !records.isEmpty else { return .absent }
    return GroupObservation(placement: connected.withLock(\.placement), records: records)
  }

  /// Determines the group's place.
  ///
  /// - Returns: Whether the group has a marker.
  private func findMarker(opening opens: Bool) async throws -> Bool {
    let finder = GroupFinder(client: backend.client, group: backend.group)
    let claims = try await finder.claims(opening: opens)
    if !claims.locations.isEmpty {
      let isOwn = claims.locations.contains { $0.placement == .dedicated }
      connected.withLock { $0.placement = (isOwn ? GroupPlacement.dedicated : .shared).description }
    }
    return claims.isGroup
  }

  /// Returns the current connection, after subscribing to its signals.
  private func connect() async throws -> ServiceHandle {
    let handle = try await backend.client.connection()
    if connected.withLock({ $0.handle === handle }) { return handle }
    let wakeSignal = wakeSignal
    let subscriptions = await handle.subscribe(toChangesOf: backend.group.qualifiedName) {
      Task { await wakeSignal.wake() }
    }
    connected.withLock {
      $0.handle = handle
      $0.subscriptions = subscriptions
    }
    return handle
  }
}

extension SecretServiceBackend {
  /// Starts to watch the group for changes.
  ///
  /// It unlocks the group when it starts and after a restart of the daemon, as any call does. Otherwise it leaves a
  /// locked group locked. The Secret Service sends no signal when a program that does not use this library changes an
  /// item's content; such a change is noticed within a minute. In a sandbox that blocks signals, changes are noticed
  /// within two to sixteen seconds.
  package func watch() async -> any GroupWatch {
    SecretServiceWatch(self)
  }
}
