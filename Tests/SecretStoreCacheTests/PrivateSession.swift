// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The private bus and keyring that `Scripts/test` runs the tests in.
///
/// The tests refuse to run anywhere else: they would write into the keyring of whoever runs them.
enum PrivateSession {
  /// The program that stops and starts the session's keyring daemon.
  static var control: String {
    get throws {
      guard let control = ProcessInfo.processInfo.environment["SSC_KEYRING_CONTROL"] else {
        throw Missing()
      }
      return control
    }
  }

  struct Missing: Error, CustomStringConvertible {
    let description = "These tests run in a private session: call Scripts/test."
  }

  /// Runs the control program.
  static func keyring(_ arguments: String...) async throws {
    try run(control, arguments)
  }

  /// Runs a program and returns what it printed.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    let source = Pipe()
    process.standardOutput = output
    process.standardInput = source
    try process.run()
    source.fileHandleForWriting.write(Data(input.utf8))
    try source.fileHandleForWriting.close()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: "\(program) \(arguments) ended with \(process.terminationStatus)")
    }
    return String(decoding: printed, as: UTF8.self)
  }

  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// A group's name that nothing else uses.
  static func uniqueGroup() -> String { "com.example.test-\(UUID().uuidString.lowercased())" }
}
