// SPDX-License-Identifier: MIT

/// An error that ends the benchmark.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
