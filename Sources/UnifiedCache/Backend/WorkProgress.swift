// SPDX-License-Identifier: MIT

/// The count of the items of a long call, which is reported after each item.
package struct WorkProgress: Sendable {
  /// Receives the number of items that are done, and the number of all.
  package typealias Report = @Sendable (_ completed: Int, _ total: Int) -> Void

  private let report: Report?
  private var completed = 0
  private var total: Int

  /// Starts to count, and reports that nothing is done, unless there is nothing to do.
  package init(of total: Int, _ report: Report?) {
    self.total = 0
    self.report = report
    add(total)
  }

  /// Counts an item that is done.
  package mutating func finishItem() {
    completed += 1
    report?(completed, total)
  }

  /// Adds items that were found later.
  package mutating func add(_ items: Int) {
    if items == 0 { return }
    total += items
    report?(completed, total)
  }
}

/// The report of a call that reads many records, for the back end that reads them.
///
/// A back end that reads all of them in one step reports nothing. It is a task-local and no parameter, because the call
/// goes through ``TokenCacheBackend``, which identity libraries implement as well.
package final class RecordReading: Sendable {
  // Not the closure itself: Swift 6.3.1 with optimization crashes when it sets a task-local closure.
  @TaskLocal private static var current: RecordReading?

  private let report: WorkProgress.Report

  private init(_ report: @escaping WorkProgress.Report) { self.report = report }

  /// The report of the current call.
  package static var report: WorkProgress.Report? { current?.report }

  /// Runs a call that reads records.
  package static func reporting<Outcome>(
    to report: WorkProgress.Report?, _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    guard let report else { return try await body() }
    return try await $current.withValue(RecordReading(report)) { try await body() }
  }
}
