// SPDX-License-Identifier: MIT

/// An end to waiting.
enum TimeLimit {
  /// Does something, and cancels it when the time is up.
  ///
  /// - Returns: What `body` returns, or `nil` when it was cut short.
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
