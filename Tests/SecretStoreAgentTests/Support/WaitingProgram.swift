// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// A program that waits, started by this process, and killed with this object.
final class WaitingProgram {
  private let process = Process()
  private let input = Pipe()

  /// Starts a program, which must run `cat` or become it.
  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  deinit { end() }

  func end() {
    try? input.fileHandleForWriting.close()
    // bwrap that fails can leave a process that waits for it, in the group of the one that was started.
    if process.isRunning { kill(-process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Waits for the program `cat` among the process and its descendants, and returns its number.
  func identifier() async throws -> pid_t? {
    for _ in 0..<500 {
      if let found = Self.descendants(of: process.processIdentifier).first(where: { number in
        SystemProcess(Int(number)).name == "cat"
      }) {
        return found
      }
      guard process.isRunning else { return nil }
      try await Task.sleep(for: .milliseconds(10))
    }
    return nil
  }

  private static func descendants(of process: pid_t) -> [pid_t] {
    let children = FileReader.text("/proc/\(process)/task/\(process)/children") ?? ""
    return [process] + children.split(separator: " ").compactMap { pid_t($0) }.flatMap(descendants)
  }
}
