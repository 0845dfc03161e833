// SPDX-License-Identifier: MIT

/// A gate at which tasks wait until it opens. It never closes again.
actor OneWayGate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for task in waiting { task.resume() }
    waiting = []
  }

  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}
