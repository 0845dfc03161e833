// SPDX-License-Identifier: MIT

import Synchronization

/// A counter of look-ups in JSON objects and comparisons of identifiers, for tests of how work grows with input
/// size.
///
/// All work of the cache on an entry includes one of the two. So a test finds work that grows with the square of
/// the number of entries, whatever the machine's speed. Unless a test measures, nothing is counted and the cost is
/// negligible.
package enum WorkMeter {
  /// The number of steps that a task has taken.
  final class Count: Sendable {
    fileprivate let steps = Atomic(0)

    var value: Int { steps.load(ordering: .relaxed) }
  }

  @TaskLocal private static var current: Count?
  private static let isInUse = Atomic(false)

  /// Counts steps for the current task if it is being measured.
  package static func count(_ steps: Int = 1) {
    guard isInUse.load(ordering: .relaxed) else { return }
    current?.steps.add(steps, ordering: .relaxed)
  }

  /// Runs `work` and returns the number of steps that it took.
  static func measuring(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
  ) async rethrows -> Int {
    let count = Count()
    isInUse.store(true, ordering: .relaxed)
    try await $current.withValue(count, operation: work)
    return count.value
  }
}
