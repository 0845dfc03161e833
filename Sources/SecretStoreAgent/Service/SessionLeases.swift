// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The refresh leases that the agent holds for one connection: the locks that apps outside of a sandbox hold
/// themselves.
final class SessionLeases: Sendable {
  /// The maximum number of leases of a connection.
  static let maximum = 64
  /// The maximum time to wait for a lease.
  static let longestWait = Duration.seconds(60)
  /// The time after which the agent lets go of a lease, so that an app that hangs blocks no other.
  static let longestHold = Duration.seconds(300)

  private let group: AccessGroup
  private let leases = Locked<[UInt32: Task<Void, Never>]>([:])

  init(group: AccessGroup) { self.group = group }

  /// Begins to wait for a lease, and returns whether it is held when the wait has ended.
  ///
  /// - Throws: `invalidArgument` when the number is in use, or there are too many leases; `storageFailed` when a lock
  ///   file can't be made.
  func begin(_ number: UInt32, on key: RecordKey, limit: Duration) throws(SecretStoreError) -> Task<
    Bool, Never
  > {
    try FileLock.makeFiles(ofRefresh: key, in: group)
    let lock = FileLock(.refresh, of: key, in: group)
    let (isHeld, report) = AsyncStream.makeStream(of: Bool.self)
    let lease = Task {
      let hold = try? await lock.acquire(timeout: min(limit, Self.longestWait))
      report.yield(hold != nil)
      if hold != nil { try? await Task.sleep(for: Self.longestHold) }
      withExtendedLifetime(hold) {}
      report.finish()
    }
    let isNew = leases.withLock { leases in
      guard leases[number] == nil, leases.count < Self.maximum else { return false }
      leases[number] = lease
      return true
    }
    guard isNew else {
      lease.cancel()
      throw SecretStoreError(.invalidArgument, "The lease's number is in use, or there are too many leases.")
    }
    return Task { [weak self] in
      for await isHeld in isHeld {
        if !isHeld { self?.end(number) }
        return isHeld
      }
      return false
    }
  }

  /// Lets go of a lease, or ends the wait for it.
  func end(_ number: UInt32) { leases.withLock { $0.removeValue(forKey: number) }?.cancel() }

  /// Lets go of all leases.
  func endAll() {
    let all = leases.withLock { leases in
      defer { leases = [:] }
      return leases.values
    }
    for lease in all { lease.cancel() }
  }
}
