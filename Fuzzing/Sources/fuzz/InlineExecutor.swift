// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// Runs a task, and what it awaits, on the calling thread, so that one run over an input is like the next.
final class InlineExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let isDone = Mutex(false)
  private let arrivals = DispatchSemaphore(value: 0)

  /// Takes a piece of the task up.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrivals.signal()
  }

  /// Runs a task to its end; an error that it throws, or an end that never comes, is a finding.
  static func run(_ body: @escaping @Sendable () async throws -> Void) {
    let executor = InlineExecutor()
    Task(executorPreference: executor) {
      do {
        try await body()
      } catch {
        fatalError("Not so: no call throws: \(error)")
      }
      executor.isDone.withLock { $0 = true }
    }
    while !executor.isDone.withLock({ $0 }) { executor.runJob() }
  }

  /// Waits for a piece of the task, which may be asleep, and runs it.
  private func runJob() {
    arrivals.wait()
    let job = jobs.withLock { $0.removeFirst() }
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
