// SPDX-License-Identifier: MIT

/// Wakes those who wait; rung while nobody waits, it ends the next wait at once.
package actor Doorbell {
  private var hasRung = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Makes a bell that has not rung.
  package init() {}

  /// Ends the wait, or the next one.
  package func ring() {
    hasRung = true
    let all = waiting
    waiting = []
    for waiter in all { waiter.resume() }
  }

  /// Waits for the bell, for a time, or until the task is cancelled.
  package func wait(atMost limit: Duration) async {
    let timer = Task {
      try await Task.sleep(for: limit)
      ring()
    }
    defer {
      timer.cancel()
      hasRung = false
    }
    await withTaskCancellationHandler {
      if hasRung || Task.isCancelled { return }
      await withCheckedContinuation { waiting.append($0) }
    } onCancel: {
      Task { await ring() }
    }
  }
}
