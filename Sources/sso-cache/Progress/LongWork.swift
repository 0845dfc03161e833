// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache
import Synchronization

/// Long work of a command, which shows its progress and which a signal ends at a whole item.
struct LongWork {
  /// The work's name in JSON.
  let name: String
  /// What the user reads beside the bar, such as "Importing".
  let title: String
  /// What is counted, and what is done with it, such as "records are imported".
  let outcome: String
  /// Whether the command goes on with what is left when it is started again.
  var goesOn = true
  /// What to do after an interruption, where it goes on.
  var again = "Start it again to go on with what is left."
  let style: ProgressDisplay.Style

  /// Receives how many items are done, and of how many.
  typealias Progress = @Sendable (_ completed: Int, _ total: Int) -> Void

  private typealias Count = (completed: Int, total: Int)

  /// What the work has counted, for the task that shows it.
  private final class Counter: Sendable {
    private let counted = Mutex<Count?>(nil)

    var count: Count? {
      get { counted.withLock(\.self) }
      set { counted.withLock { $0 = newValue } }
    }
  }

  /// Runs the work.
  ///
  /// SIGINT, SIGTERM and SIGHUP cancel its task.
  ///
  /// - Throws: ``InterruptedWork`` when a signal ended it; the error of `body`. An error of the store says what was
  ///   done before.
  func run<Outcome: Sendable>(
    _ body: @escaping @Sendable (_ progress: @escaping Progress) async throws -> Outcome
  ) async throws -> Outcome {
    let counter = Counter()
    let signals = EndingSignals()
    defer { signals.end() }
    let work = Task { try await body { counter.count = ($0, $1) } }
    let display = Task { [self] in
      let start = ContinuousClock.now
      var display = ProgressDisplay(style, name: name, title: title)
      while !Task.isCancelled {
        if EndingSignals.arrived != nil { work.cancel() }
        display.show(counter.count, at: ContinuousClock.now - start)
        try? await Task.sleep(for: .milliseconds(100))
      }
      display.end(counter.count, at: ContinuousClock.now - start)
    }
    let result = await work.result
    display.cancel()
    await display.value
    let hasBegun = (counter.count?.completed ?? 0) > 0
    let done = counter.count.map { "\($0.completed) of \($0.total) \(outcome)" }
    do {
      return try result.get()
    } catch is CancellationError {
      guard let signal = EndingSignals.arrived else { throw CancellationError() }
      throw InterruptedWork(
        signal: signal, done: done, remedy: goesOn ? again : "")
    } catch let error as SecretStoreError where goesOn && hasBegun {
      throw SecretStoreError(error.code, "\(error.detail) \(done ?? "").", underlying: error.underlying)
    }
  }
}

/// An error for a signal that ended work at a whole item.
struct InterruptedWork: Error {
  let signal: Int32
  /// What was done before, with or without a full stop; `nil` when nothing was.
  let done: String?
  var remedy = ""

  var detail: String {
    guard let done else { return "Interrupted." }
    return "Interrupted: \(done)\(done.hasSuffix(".") ? "" : ".")"
  }
}
