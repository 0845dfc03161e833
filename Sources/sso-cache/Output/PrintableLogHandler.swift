// SPDX-License-Identifier: MIT

import Logging

/// A log handler that writes to standard error what is safe for a terminal.
///
/// A log line holds identifiers that any program could choose.
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
    var event = event
    event.message = "\(Printer.printable(event.message.description))"
    event.metadata = event.metadata?.mapValues(Self.printable)
    base.log(event: event)
  }

  private static func printable(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
    .string(Printer.printable("\(value)"))
  }
}
