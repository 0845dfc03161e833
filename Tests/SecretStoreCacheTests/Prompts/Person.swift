// SPDX-License-Identifier: MIT

import Foundation

/// Who stands in for the person at gnome-keyring's dialogs; see `mock-prompter.c`.
enum Person {
  /// Tells the person what to do at the next dialogs.
  static func will(_ commands: String...) async throws { try await tell(commands, "read") }

  /// Waits until the person sees a dialog.
  static func seesDialog() async throws { try await tell([], "shown") }

  /// Tells the person something, and waits for the file by which the last line is answered.
  private static func tell(_ commands: [String], _ last: String) async throws {
    guard let folder = ProcessInfo.processInfo.environment["SSC_SESSION_DIR"] else {
      throw PrivateSession.Failed(description: "SSC_SESSION_DIR is not set.")
    }
    let answer = "\(folder)/\(UUID().uuidString)"
    let pipe = try FileHandle(forWritingTo: URL(filePath: folder).appending(path: "person"))
    defer { try? pipe.close() }
    let lines = commands + ["\(last) \(answer)"]
    try pipe.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    let end = ContinuousClock.now + .seconds(20)
    while unsafe access(answer, F_OK) != 0 {
      guard ContinuousClock.now < end else {
        throw PrivateSession.Failed(description: "The person does not answer “\(last)”.")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
