// SPDX-License-Identifier: MIT

import Foundation

/// The program that completes gnome-keyring's dialogs instead of a user; see `mock-prompter.c`.
enum MockPrompter {
  /// Sets the input for the next dialogs.
  static func will(_ commands: String...) async throws { try await tell(commands, "read") }

  /// Waits until a dialog is open.
  static func seesDialog() async throws { try await tell([], "shown") }

  /// Sends lines, and waits for the file that acknowledges the last one.
  private static func tell(_ commands: [String], _ last: String) async throws {
    guard let folder = ProcessInfo.processInfo.environment["SSC_SESSION_DIR"] else {
      throw PrivateSession.Failed(description: "SSC_SESSION_DIR is not set.")
    }
    let acknowledgement = "\(folder)/\(UUID().uuidString)"
    let pipe = try FileHandle(forWritingTo: URL(filePath: folder).appending(path: "person"))
    defer { try? pipe.close() }
    let lines = commands + ["\(last) \(acknowledgement)"]
    try pipe.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    let end = ContinuousClock.now + .seconds(20)
    while unsafe access(acknowledgement, F_OK) != 0 {
      guard ContinuousClock.now < end else {
        throw PrivateSession.Failed(description: "The prompter does not acknowledge “\(last)”.")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
