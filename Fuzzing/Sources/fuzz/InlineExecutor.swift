// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

/// An executor that runs a task and everything it awaits on the calling thread, which makes runs reproducible.
final class InlineExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let isDone = Mutex(false)
  private let arrivals = DispatchSemaphore(value: 0)

  /// Adds a job of the task to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrivals.signal()
  }

  /// Runs a task until it ends.
  ///
  /// It is a finding when the task throws or does not end.
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

  /// Waits for a job of the task, which may be asleep, and runs it.
  private func runJob() {
    arrivals.wait()
    let job = jobs.withLock { $0.removeFirst() }
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
