// SPDX-License-Identifier: MIT

import ArgumentParser
import Logging

/// The options for logging.
struct LogOptions: ParsableArguments {
  @Flag(
    name: [.short, .long], help: "Tell on standard error what is done at the Secret Service and at servers.")
  var verbose = false

  /// Sets up logging to standard error: all messages when verbose, otherwise errors only.
  ///
  /// Call it before anything is logged.
  static func bootstrap(isVerbose: Bool) {
    LoggingSystem.bootstrap { label in
      var handler = PrintableLogHandler(label: label)
      handler.logLevel = isVerbose ? .trace : .error
      return handler
    }
  }
}
