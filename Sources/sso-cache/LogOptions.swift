// SPDX-License-Identifier: MIT

import ArgumentParser
import Logging

/// Whether the tool tells what it does.
struct LogOptions: ParsableArguments {
  @Flag(
    name: [.short, .long], help: "Tell on standard error what is done at the Secret Service and at servers.")
  var verbose = false

  /// Sends the log to standard error, before anything is logged: all of it, or what is an error only.
  static func bootstrap(isVerbose: Bool) {
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = isVerbose ? .trace : .error
      return handler
    }
  }
}
