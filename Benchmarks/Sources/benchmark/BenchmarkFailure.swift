// SPDX-License-Identifier: MIT

/// Why the benchmark could not be run.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
