// SPDX-License-Identifier: MIT

import Foundation

/// Statistics and formatting of numbers.
enum Figures {
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let upper = sorted.dropFirst(sorted.count / 2).first else { return 0 }
    return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
  }

  static func ratio(_ value: Double) -> String {
    String(format: value < 0.095 ? "%.3f" : value < 20 ? "%.2f" : "%.0f", value)
  }

  /// Returns the text of a time in nanoseconds.
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<100_000: String(format: "%.1f µs", nanoseconds / 1000)
    case ..<100_000_000: String(format: "%.2f ms", nanoseconds / 1_000_000)
    default: String(format: "%.0f ms", nanoseconds / 1_000_000)
    }
  }

  /// Returns the text of a memory size in kB.
  static func memory(_ kilobytes: Double) -> String { String(format: "%.1f MB", kilobytes / 1024) }
}
