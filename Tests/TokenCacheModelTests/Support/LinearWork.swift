// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Compares the steps of some work for fifty entries with those for eight times as many.
enum LinearWork {
  /// - Parameter work: Works on a number of entries; returns the number of steps (``WorkMeter``).
  static func expect(
    sourceLocation: SourceLocation = #_sourceLocation, _ work: (Int) async throws -> Int
  ) async throws {
    let (few, many) = try await (work(50), work(400))
    #expect(few > 50, sourceLocation: sourceLocation)
    #expect(many < few * 12, "\(few) steps became \(many)", sourceLocation: sourceLocation)
  }
}
