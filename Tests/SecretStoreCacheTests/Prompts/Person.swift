// SPDX-License-Identifier: MIT

import Foundation

/// Who stands in for the person at gnome-keyring's dialogs; see `mock-prompter.c`.
enum Person {
  /// Tells the person what to do at the next dialogs.
  static func will(_ commands: String...) throws {
    guard let folder = ProcessInfo.processInfo.environment["SSC_SESSION_DIR"] else {
      throw PrivateSession.Failed(description: "SSC_SESSION_DIR is not set.")
    }
    let pipe = try FileHandle(forWritingTo: URL(filePath: folder).appending(path: "person"))
    defer { try? pipe.close() }
    try pipe.write(contentsOf: Data((commands.joined(separator: "\n") + "\n").utf8))
    // The person reads at once; what it reads is in force before the next dialog opens.
    Thread.sleep(forTimeInterval: 0.05)
  }
}
