// SPDX-License-Identifier: MIT

package import FoundationEssentials
import KeychainGroupModel
package import Logging

/// The log of a call, through all layers.
///
/// Each line has the call's name and correlation ID.
///
/// Lines hold identifiers, counts, times and codes. They never hold a token, a secret, a user name or a server's text
/// for users.
package enum CallLog {
  @TaskLocal private static var current: Logger?

  /// Returns the logger of the current call, or `own` outside of a call.
  package static func logger(or own: Logger) -> Logger { current ?? own }

  /// Logs a debug message of the current call.
  package static func debug(_ message: String, _ facts: @autoclosure () -> [String: String] = [:]) {
    current?.debug("\(message)", metadata: metadata(facts()))
  }

  /// Logs a warning of the current call, which its developer should look into.
  package static func warning(_ message: String, _ facts: @autoclosure () -> [String: String] = [:]) {
    current?.warning("\(message)", metadata: metadata(facts()))
  }

  package static func metadata(_ facts: [String: String]) -> Logger.Metadata { facts.mapValues { "\($0)" } }

  /// Runs a call, and logs its beginning and its end.
  ///
  /// - Parameters:
  ///   - facts: The metadata of the beginning.
  ///   - outcome: Returns the outcome to log for a result.
  package static func run<Outcome>(
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
      let result = try await $current.withValue(logger) { try await body() }
      end(outcome(result))
      return result
    } catch {
      end(error is CancellationError ? "cancelled" : "failed", Self.facts(of: error))
      throw error
    }
  }

  /// Returns the facts about an error that may be logged.
  package static func facts(of error: any Error) -> [String: String] {
    guard let error = error as? SecretStoreError else { return [:] }
    let facts = ["code": "\(error.code)", "detail": error.detail]
    guard let refusal = error.underlying as? OAuthError else { return facts }
    return facts.merging(["refusal": "\(refusal)"]) { $1 }
  }
}

extension Duration {
  /// The duration in whole milliseconds.
  package var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
