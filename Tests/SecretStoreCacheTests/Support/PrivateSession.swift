// SPDX-License-Identifier: MIT

import Foundation
import Subprocess
import Testing

/// The private bus and keyring daemon that `Scripts/test` runs the tests in.
///
/// The tests refuse to run anywhere else, since they would write into the user's own keyring.
enum PrivateSession {
  /// The program that stops and starts the session's keyring daemon.
  static var control: String {
    get throws { try variable("SSC_KEYRING_CONTROL") }
  }

  /// The provider that the session runs: `gnome-keyring`, `kwallet` or `keepassxc`.
  static var provider: String {
    get throws { try variable("SSC_PROVIDER") }
  }

  /// A Python with SecretStorage, a Secret Service client that does not know the library.
  static var python: String {
    get throws { try variable("SSC_PYTHON") }
  }

  /// The tool, which tests run as another process.
  static var tool: String {
    get throws { try variable("SSC_TOOL") }
  }

  private static func variable(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else {
      throw Failed(description: "\(name) is not set: these tests run in a private session, by Scripts/test.")
    }
    return value
  }

  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the control program.
  static func keyring(_ arguments: String...) async throws { try await run(control, arguments) }

  /// Runs a program and returns what it printed.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) async throws -> String {
    let result = try await Subprocess.run(
      .name("env"), arguments: Arguments([program] + arguments), output: .string(limit: 10_000_000),
      error: .string(limit: 100_000))
    guard result.terminationStatus.isSuccess else {
      throw Failed(description: "\(program) failed: \(result.standardError)")
    }
    return result.standardOutput
  }

  /// A unique group name.
  static func uniqueGroup() -> String { "com.example.test-\(UUID().uuidString.lowercased())" }
}
