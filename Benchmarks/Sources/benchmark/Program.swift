// SPDX-License-Identifier: MIT

import Subprocess
import SystemPackage

/// A program that runs an operation repeatedly and prints the nanoseconds of each run.
struct Program: Sendable {
  /// The program's path, and its arguments before the limit.
  let command: [String]
  /// The arguments after the limit.
  let subject: [String]

  /// Returns the time of each run.
  func times(_ limit: Limit) async throws -> [Double] {
    let times = try await Self.numbers(command + limit.arguments + subject)
    guard times.count >= Limit.minimum else { throw BenchmarkFailure("\(command) printed no times.") }
    return times
  }

  /// Returns the numbers that a program prints.
  static func numbers(_ command: [String]) async throws -> [Double] {
    let result = try await run(
      .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
      output: .string(limit: 1_000_000), error: .string(limit: 10_000))
    guard result.terminationStatus.isSuccess else {
      throw BenchmarkFailure("\(command.prefix(4)) failed: \(result.standardError)")
    }
    return result.standardOutput.split(separator: "\n").compactMap { Double($0) }
  }
}
