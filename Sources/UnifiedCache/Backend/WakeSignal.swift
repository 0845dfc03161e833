// SPDX-License-Identifier: MIT

/// A signal that ends all current waits or, if there are none, the next one.
package actor WakeSignal {
  private var isSignaled = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Creates a signal that was not sent yet.
  package init() {}

  /// Ends all current waits or the next one.
  package func wake() {
    isSignaled = true
    let all = waiting
    waiting = []
    for waiter in all { waiter.resume() }
  }

  /// Waits for the signal, until the time limit, or until the task is cancelled.
  package func wait(atMost limit: Duration) async {
    let timer = Task {
      try await Task.sleep(for: limit)
      wake()
    }
    defer {
      timer.cancel()
      isSignaled = false
    }
    await withTaskCancellationHandler {
      if isSignaled || Task.isCancelled { return }
      await withCheckedContinuation { waiting.append($0) }
    } onCancel: {
      Task { await wake() }
    }
  }
}
