// SPDX-License-Identifier: MIT

import Synchronization

/// Counts the tasks in a section, and their maximum.
final class Occupancy: Sendable {
  private struct Counts {
    var inside = 0
    var most = 0
    var total = 0
  }

  private let state = Mutex(Counts())

  var most: Int { state.withLock { $0.most } }
  var total: Int { state.withLock { $0.total } }

  func enter() {
    state.withLock { state in
      state.inside += 1
      state.total += 1
      state.most = max(state.most, state.inside)
    }
  }

  func leave() { state.withLock { $0.inside -= 1 } }
}
