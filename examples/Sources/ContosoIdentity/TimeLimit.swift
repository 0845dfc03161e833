// SPDX-License-Identifier: MIT

/// An end to waiting.
enum TimeLimit {
  /// Does something, and cancels it when the time is up.
  ///
  /// - Throws: ``SignInError/timedOut``, and whatever `body` throws.
  static func run<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: limit)
        throw SignInError.timedOut
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }
}
