// SPDX-License-Identifier: MIT

import Logging
import TokenCacheModel

extension SecretServiceClient {
  /// Logs a message to the log of the current silent call; outside of one, to the store's own log.
  func log(
    _ level: Logger.Level, _ message: String, _ facts: @autoclosure () -> [String: String] = [:]
  ) {
    CallLog.logger(or: logger).log(level: level, "\(message)", metadata: CallLog.metadata(facts()))
  }

  /// Runs an operation and logs its outcome and duration.
  func logging<Outcome>(
    _ message: String, _ facts: [String: String], count: (Outcome) -> Int? = { _ in nil },
    _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    guard CallLog.logger(or: logger).logLevel <= .debug else { return try await body() }
    let start = ContinuousClock.now
    func ended(_ more: [String: String]) -> [String: String] {
      facts.merging(more) { $1 }.merging(["milliseconds": "\((ContinuousClock.now - start).milliseconds)"]) {
        $1
      }
    }
    do {
      let outcome = try await body()
      log(.trace, message, ended(count(outcome).map { ["count": "\($0)"] } ?? [:]))
      return outcome
    } catch {
      log(.debug, "\(message): failed", ended(CallLog.facts(of: error)))
      throw error
    }
  }
}
