// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Whether locks between processes can be had, and nobody who is stuck holds one.
struct LeasesCheck: Sendable {
  static let name = "leases"

  /// How long a write lock is held at most by an app that is not stuck.
  private static let patience = Duration.seconds(1)

  func find() async throws -> Finding {
    let lock = FileLock(name: "doctor")
    guard let hold = try await lock.acquire(patience: Self.patience) else {
      if let other = try LockHolder.all().first(where: { $0.file == lock.fileName }) {
        return .warning(
          "Process \(other.process) examines the same, and does not come to an end.",
          remedy: other.isStopped ? "kill -CONT \(other.process)" : "kill \(other.process)")
      }
      return .error(
        .leaseTimedOut, "No file can be locked in the runtime directory.", remedy: Self.unlockable)
    }
    defer { withExtendedLifetime(hold) {} }
    guard try await lock.acquire(patience: .zero) == nil else {
      return .error(
        .storageFailed, "Two locks are given on one file of the runtime directory.", remedy: Self.unlockable)
    }
    let held = try LockHolder.all()
    if let stopped = held.first(where: \.isStopped) {
      return .warning(
        "Process \(stopped.process) is stopped and holds a lock that others wait for.",
        remedy: "kill -CONT \(stopped.process)")
    }
    if held.contains(where: \.isWriting) {
      try await Task.sleep(for: Self.patience)
      if let stuck = Set(held).intersection(try LockHolder.all()).first(where: \.isWriting) {
        return .warning(
          "Process \(stuck.process) holds a write lock for more than a second.",
          remedy: "kill \(stuck.process)")
      }
    }
    let leases = held.filter(\.isRefreshing).count
    return .ok(
      leases == 0
        ? "Locks can be had, and nobody waits."
        : "Locks can be had; \(Quantity.of(leases, "refresh lease")) held.")
  }

  private static let unlockable = GeneralRemedy.runtimeDirectory
}
