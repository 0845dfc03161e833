// SPDX-License-Identifier: MIT

import Foundation

/// The user's browser: the program in `$BROWSER`, or else the one that `xdg-open` starts.
enum Browser {
  /// Opens a URL and returns at once, because a browser may run for days.
  ///
  /// - Parameter onFailure: A function that is called when the program ends with an error.
  static func open(_ url: URL, onFailure: @escaping @Sendable (SignInError) -> Void) throws(SignInError) {
    let chosen = ProcessInfo.processInfo.environment["BROWSER"] ?? ""
    let program = chosen.isEmpty ? "xdg-open" : chosen
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--", program, url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.standardError
    process.terminationHandler = { ended in
      let status = ended.terminationStatus
      if status != 0 { onFailure(.noBrowser(reason: "\(program) ended with status \(status)")) }
    }
    do { try process.run() } catch { throw .noBrowser(reason: "\(error.localizedDescription)") }
  }
}
