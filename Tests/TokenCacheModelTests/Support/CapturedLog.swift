// SPDX-License-Identifier: MIT

import Logging
import Synchronization

/// A log handler that captures every line, at every level.
final class CapturedLog: Sendable {
  struct Line: Sendable {
    let level: Logger.Level
    let message: String
    let facts: [String: String]

    /// The line's full text, as a log would show it.
    var text: String { "\(level) \(message) \(facts.map { "\($0)=\($1)" }.joined(separator: " "))" }
  }

  private let captured = Mutex<[Line]>([])

  var lines: [Line] { captured.withLock { $0 } }

  var logger: Logger {
    var logger = Logger(label: "test", factory: { _ in CapturingHandler(log: self) })
    logger.logLevel = .trace
    return logger
  }

  private struct CapturingHandler: LogHandler {
    let log: CapturedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let facts = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
      log.captured.withLock {
        $0.append(Line(level: event.level, message: "\(event.message)", facts: facts))
      }
    }
  }
}
