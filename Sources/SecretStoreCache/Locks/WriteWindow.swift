// SPDX-License-Identifier: MIT

/// How long a comparison with what is stored is good for, where no lock keeps others from writing after it.
///
/// Whoever compares sends their write within ``length`` or compares again. So a write that replaces another without having
/// seen it is on its way before ``settling`` is over, and who reads again then sees that theirs was replaced.
struct WriteWindow: Sendable {
  /// The window of the write that is under way; `nil` under a lock that others keep to.
  @TaskLocal static var current: WriteWindow?

  /// What others do in that time; for tests.
  @TaskLocal static var whileSettling: (@Sendable () async throws -> Void)?

  /// From the question what is stored to the sending of a write; another for tests alone.
  @TaskLocal static var length = Duration.milliseconds(50)

  /// From a write's end to the reading that it is judged by; the rest is for the bus and for a busy machine.
  static let settling = Duration.milliseconds(100)

  private let end = ContinuousClock.now + length

  /// - Throws: When it is too late to send anything.
  func check() throws(StaleChange) {
    if ContinuousClock.now > end { throw StaleChange() }
  }

  /// Lets others' writes arrive that were on their way.
  ///
  /// - Throws: `leaseTimedOut` when the deadline would pass.
  static func settle() async throws {
    guard Deadline.remaining > settling else { throw contended }
    try await whileSettling?()
    try await Task.sleep(for: settling)
  }

  static let contended = SecretStoreError(
    .leaseTimedOut, "Other apps, with which no lock is shared, wrote over the record until the deadline.")
}
