// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import Logging

/// The log of one call, through all layers: each line carries the call's name and correlation id.
///
/// Lines hold identifiers, counts, times and codes. A token, a secret, a user name or what a server wrote for people is
/// in none.
package enum CallLog {
  @TaskLocal private static var ofCall: Logger?

  /// The log of the call that is under way; outside of one, `own`.
  package static func logger(or own: Logger) -> Logger { ofCall ?? own }

  /// A line of the call that is under way, for what happens on its way.
  package static func debug(_ message: String, _ facts: @autoclosure () -> [String: String] = [:]) {
    ofCall?.debug("\(message)", metadata: metadata(facts()))
  }

  /// A line of the call that is under way, for what its caller should look into.
  package static func warning(_ message: String, _ facts: @autoclosure () -> [String: String] = [:]) {
    ofCall?.warning("\(message)", metadata: metadata(facts()))
  }

  package static func metadata(_ facts: [String: String]) -> Logger.Metadata { facts.mapValues { "\($0)" } }

  /// Runs a call and logs its beginning and its end.
  ///
  /// - Parameters:
  ///   - metadata: What the call is about.
  ///   - outcome: How it ended.
  static func run<Outcome>(
    _ name: String, _ correlationID: UUID, to logger: Logger, _ facts: @autoclosure () -> [String: String],
    outcome: (Outcome) -> String, _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    var logger = logger
    logger[metadataKey: "call"] = "\(name)"
    logger[metadataKey: "correlation-id"] = "\(correlationID)"
    let start = ContinuousClock.now
    func end(_ outcome: @autoclosure () -> String, _ facts: @autoclosure () -> [String: String] = [:]) {
      guard logger.logLevel <= .debug else { return }
      let time = ["outcome": outcome(), "milliseconds": "\((ContinuousClock.now - start).milliseconds)"]
      logger.debug("ends", metadata: metadata(time.merging(facts()) { $1 }))
    }
    logger.debug("begins", metadata: metadata(facts()))
    do {
      let result = try await $ofCall.withValue(logger) { try await body() }
      end(outcome(result))
      return result
    } catch {
      end(error is CancellationError ? "cancelled" : "failed", Self.facts(of: error))
      throw error
    }
  }

  /// What of an error may be logged.
  package static func facts(of error: any Error) -> [String: String] {
    guard let error = error as? SecretStoreError else { return [:] }
    let facts = ["code": "\(error.code)", "detail": error.detail]
    guard let refusal = error.underlying as? OAuthError else { return facts }
    return facts.merging(["refusal": "\(refusal)"]) { $1 }
  }
}

extension Duration {
  /// Whole milliseconds.
  package var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
