// SPDX-License-Identifier: MIT

import Synchronization

/// Records calls in order.
final class RecordedCalls: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  func clear() { lines.withLock { $0 = [] } }
}
