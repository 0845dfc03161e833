// SPDX-License-Identifier: MIT

import Synchronization

/// What was called, in order.
final class CallLog: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  func clear() { lines.withLock { $0 = [] } }
}
