// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The watches of one connection.
final class SessionWatches: Sendable {
  private struct Started {
    let watch: Task<any GroupWatch, Never>
    let signals: Task<Void, Never>
  }

  /// The maximum number of watches of a connection.
  static let maximum = 64
  /// The time after which a watch signals without a change, as a watch of the Secret Service reads.
  static let interval = Duration.seconds(60)

  private let backend: any TokenCacheBackend
  private let started = Locked<[UInt32: Started]>([:])

  init(backend: any TokenCacheBackend) { self.backend = backend }

  /// Starts a watch.
  ///
  /// - Parameter signal: Runs after each change.
  /// - Throws: `invalidArgument` when the number is in use, or there are too many watches.
  func start(_ number: UInt32, signal: @escaping @Sendable () -> Void) throws(SecretStoreError) {
    let isNew = started.withLock { started in
      guard started[number] == nil, started.count < Self.maximum else { return false }
      let watch = Task { [backend] in await backend.watch() }
      let signals = Task {
        let watch = await watch.value
        while !Task.isCancelled {
          await watch.wait(atMost: Self.interval)
          if !Task.isCancelled { signal() }
        }
      }
      started[number] = Started(watch: watch, signals: signals)
      return true
    }
    guard isNew else {
      throw SecretStoreError(.invalidArgument, "The watch's number is in use, or there are too many watches.")
    }
  }

  /// Ends a watch.
  func stop(_ number: UInt32) { started.withLock { $0.removeValue(forKey: number) }?.signals.cancel() }

  /// Ends all watches.
  func endAll() {
    let all = started.withLock { started in
      defer { started = [:] }
      return started.values
    }
    for watch in all { watch.signals.cancel() }
  }

  /// Returns the return values of `Observe`.
  func observe(_ number: UInt32, _ queries: [RecordQuery]) async throws -> [Variant] {
    guard let watch = started.withLock({ $0[number]?.watch }) else {
      throw SecretStoreError(.invalidArgument, "There is no watch of this number.")
    }
    let observation = await watch.value.observe(queries)
    var (state, placement) = ("", "")
    switch observation.state {
    case .open(let name): (state, placement) = ("open", name)
    case .absent: state = "absent"
    case .locked: state = "locked"
    case .unrecoverable: state = "unrecoverable"
    case .unavailable: state = "unavailable"
    }
    return [try .string(state), try .string(placement), try AgentInterface.list(observation.records)]
  }
}
