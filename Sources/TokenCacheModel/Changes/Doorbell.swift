// SPDX-License-Identifier: MIT

/// Wakes one waiting task; rung while nobody waits, it ends the next wait at once.
package actor Doorbell {
  private var hasRung = false
  private var waiting: CheckedContinuation<Void, Never>?

  /// Makes a bell that has not rung.
  package init() {}

  /// Ends the wait, or the next one.
  package func ring() {
    hasRung = true
    waiting?.resume()
    waiting = nil
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
      await withCheckedContinuation { waiting = $0 }
    } onCancel: {
      Task { await ring() }
    }
  }
}
