// SPDX-License-Identifier: MIT

/// The limits on what a case waits for, so that a back end that hangs is a violation, too.
package enum TimeLimit {
  /// The longest limit; only tests of the contract change it.
  @TaskLocal package static var longest = Duration.seconds(120)

  /// The limit on calls that need not wait for others: shorter than a lease timeout, and long for a busy machine.
  static var call: Duration { min(.seconds(15), longest) }
}

/// Runs a call in a task of its own, and throws when the call has not ended after a time limit.
func ends<Outcome: Sendable>(
  _ what: String, within limit: Duration = TimeLimit.call, file: String = #fileID, line: Int = #line,
  _ call: @escaping @Sendable () async throws -> Outcome
) async throws -> Outcome {
  let (results, result) = AsyncStream.makeStream(of: Result<Outcome, any Error>?.self)
  let running = Task {
    do {
      result.yield(.success(try await call()))
    } catch {
      result.yield(.failure(error))
    }
  }
  let timer = Task {
    try await Task.sleep(for: limit)
    result.yield(nil)
  }
  defer {
    timer.cancel()
    running.cancel()
  }
  for await first in results {
    guard let first else {
      throw FailedExpectation("\(what) did not end within \(limit)", file: file, line: line)
    }
    return try first.get()
  }
  throw CancellationError()
}
