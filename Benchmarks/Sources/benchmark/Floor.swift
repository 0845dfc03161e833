// SPDX-License-Identifier: MIT

import Subprocess
import SystemPackage

/// The C program that makes the same D-Bus calls, timed: the least that the operation can cost.
struct Floor {
  /// The program's path.
  let program: String
  let group: SeededGroup

  /// The nanoseconds that each of a number of runs took.
  func times(_ operation: Operation, runs: Int) async throws -> [Double] {
    let result = try await run(
      .path(FilePath(program)),
      arguments: Arguments([operation.floorName, String(runs)] + group.attributes(operation)),
      output: .string(limit: 1_000_000), error: .string(limit: 10_000))
    let times = result.standardOutput.split(separator: "\n").compactMap { Double($0) }
    guard result.terminationStatus.isSuccess, times.count == runs else {
      throw BenchmarkFailure("\(program) failed: \(result.standardError)")
    }
    return times
  }
}
