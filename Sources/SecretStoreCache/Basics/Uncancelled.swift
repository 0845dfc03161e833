// SPDX-License-Identifier: MIT

/// Work of several calls that a cancellation prevents before it begins and doesn't interrupt afterwards.
package enum Uncancelled {
  /// Runs `body` to its end, even when its task is cancelled meanwhile.
  ///
  /// - Throws: `CancellationError` when the task was cancelled before; what `body` throws.
  package static func run<Output: Sendable>(
    _ body: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    try Task.checkCancellation()
    return try await Task { try await body() }.value
  }
}
