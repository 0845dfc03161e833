// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// A check that file locks work between processes and that no stuck process holds one.
struct LeasesCheck: Sendable {
  static let name = "leases"

  /// The longest time for which a process that works normally holds a write lock.
  private static let timeout = Duration.seconds(1)

  func run() async throws -> CheckResult {
    let lock = FileLock(.diagnosis)
    guard let hold = try await lock.acquire(timeout: Self.timeout) else {
      if let other = try LockHolder.all().first(where: { $0.file == lock.fileName }) {
        return .warning(
          "\(other) examines the same, and does not come to an end.", remedy: Self.ending(other))
      }
      return .error(
        .lockTimedOut, "No file can be locked in the runtime directory.", remedy: Self.unlockable)
    }
    defer { withExtendedLifetime(hold) {} }
    guard try await lock.acquire(timeout: .zero) == nil else {
      return .error(
        .storageFailed, "Two locks are given on one file of the runtime directory.", remedy: Self.unlockable)
    }
    let held = try LockHolder.all().filter { $0.file != lock.fileName }
    if let stopped = held.first(where: \.isStopped) {
      return .warning(
        "\(stopped) is stopped and holds a lock that others wait for.", remedy: Self.ending(stopped))
    }
    if held.contains(where: \.isWriting) {
      try await Task.sleep(for: Self.timeout)
      if let holder = Set(held).intersection(try LockHolder.all()).first(where: \.isWriting) {
        return .warning(
          "\(holder) holds a write lock for more than a second.", remedy: Self.ending(holder))
      }
    }
    let leases = held.filter(\.isRefreshing).count
    return .ok(
      leases == 0
        ? "Locks work, and none is held for long."
        : "Locks work; \(Quantity.of(leases, "refresh lease")) held.")
  }

  /// Returns the command that makes a process release its lock.
  private static func ending(_ holder: LockHolder) -> String {
    guard let process = holder.process else {
      return "Run sso-cache doctor outside of the sandbox: it says there which program to end."
    }
    return GeneralRemedy.ending(process)
  }

  private static let unlockable = GeneralRemedy.runtimeDirectory
}
