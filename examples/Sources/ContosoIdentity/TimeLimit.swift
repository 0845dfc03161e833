// SPDX-License-Identifier: MIT

/// A time limit for an operation.
enum TimeLimit {
  /// Runs an operation and cancels it when the time is over.
  ///
  /// - Returns: The result of `body`, or `nil` when it was cancelled.
  static func run<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
