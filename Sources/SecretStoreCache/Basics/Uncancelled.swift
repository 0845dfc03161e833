// SPDX-License-Identifier: MIT

/// Work of several calls that is done whole or not at all, as far as a cancellation goes.
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
