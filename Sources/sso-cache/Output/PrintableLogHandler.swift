// SPDX-License-Identifier: MIT

import Glibc
import Logging
import Synchronization

/// A log handler that writes to standard error what is safe for a terminal.
///
/// A log line holds identifiers that any program could choose. Lines are left out while standard error takes none, as a
/// pipe that nobody reads: what they report must go on.
struct PrintableLogHandler: LogHandler {
  private var base: StreamLogHandler

  init(label: String) { base = .standardError(label: label) }

  var logLevel: Logger.Level {
    get { base.logLevel }
    set { base.logLevel = newValue }
  }

  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue.mapValues(Self.printable) }
  }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue.map(Self.printable) }
  }

  func log(event: LogEvent) {
    guard Self.canWrite() else { return }
    var event = event
    event.message = "\(Self.short(Printer.printable(event.message.description)))"
    event.metadata = event.metadata?.mapValues(Self.printable)
    base.log(event: event)
  }

  private static let isBlocked = Mutex(false)
  /// How long a line waits at most, in milliseconds, until lines are left out.
  private static let longestWait: Int32 = 1000

  private static func canWrite() -> Bool {
    isBlocked.withLock { isBlocked in
      var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      // A signal that interrupts it counts as a reader that takes nothing.
      isBlocked = unsafe poll(&file, 1, isBlocked ? 0 : longestWait) <= 0
      return !isBlocked
    }
  }

  private static func printable(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
    .string(short(Printer.printable("\(value)")))
  }

  /// Cuts a text: a pipe that can be written to takes 4 kB at once.
  private static func short(_ text: String) -> String {
    text.utf8.count <= maximumBytes ? text : "\(text.prefix(maximumBytes / 4))…"
  }

  /// The size of a message or of a value, in bytes.
  private static let maximumBytes = 400
}
