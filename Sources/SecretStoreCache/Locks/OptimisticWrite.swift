// SPDX-License-Identifier: MIT

/// A write to a record without a lock, with a limit on the time between comparing the stored record and sending the
/// write.
///
/// A writer sends its write within ``length`` of its comparison, or compares again. So a write that replaces another
/// without having seen it is on its way before ``settling`` has passed. A writer that reads again after that time
/// sees whether its write was replaced.
package struct OptimisticWrite: Sendable {
  /// Runs while a write settles, to simulate other writers; for tests.
  @TaskLocal static var whileSettling: (@Sendable () async throws -> Void)?

  /// The longest time from reading the stored record to sending the write; only tests change it.
  @TaskLocal static var length = Duration.milliseconds(50)

  /// The time from the end of a write to the read that verifies it.
  ///
  /// It is longer than ``length`` to allow for the bus and for a busy machine.
  static let settling = Duration.milliseconds(100)

  private let end = ContinuousClock.now + length

  /// Checks that the write may still be sent.
  ///
  /// - Throws: ``WriteConflict`` when ``length`` has passed since the comparison.
  func check() throws(WriteConflict) {
    if ContinuousClock.now > end { throw WriteConflict() }
  }

  /// Waits until the writes of others that were on their way have arrived.
  ///
  /// - Throws: `lockTimedOut` when the deadline would pass.
  static func settle() async throws {
    guard Deadline.remaining > settling else { throw contended }
    try await whileSettling?()
    try await Task.sleep(for: settling)
  }

  static let contended = SecretStoreError(
    .lockTimedOut, "Other apps, with which no lock is shared, wrote over the record until the deadline.")
}

/// The record may have changed after it was read.
///
/// Nothing was written; read again and retry.
struct WriteConflict: Error {}
