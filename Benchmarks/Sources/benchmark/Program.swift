// SPDX-License-Identifier: MIT

import Subprocess
import SystemPackage

/// A program that takes turns: it runs an operation again and again, and prints the nanoseconds of each run.
struct Program: Sendable {
  /// The program's path, and its arguments before the limit.
  let command: [String]
  /// Those after it.
  let subject: [String]

  /// What each run took.
  func times(_ limit: Limit) async throws -> [Double] {
    let times = try await Self.numbers(command + limit.arguments + subject)
    guard times.count >= Limit.minimum else { throw BenchmarkFailure("\(command) printed no times.") }
    return times
  }

  /// The numbers that a program prints.
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
