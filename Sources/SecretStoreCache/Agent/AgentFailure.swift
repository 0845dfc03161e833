// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A failed call to the agent: the Secret Service has no part in it.
struct AgentFailure: ErrorWithRemedy, PublishableError {
  private let cause: BusError

  init(_ cause: BusError) { self.cause = cause }

  /// Makes a call to the agent.
  ///
  /// - Throws: This error where no reply arrives in time, and any other error of the call.
  static func naming<Output>(_ call: () async throws -> Output) async throws -> Output {
    do {
      return try await call()
    } catch SecretStoreError.Code.timedOut {
      throw AgentFailure(.timedOut).storeError
    }
  }

  var description: String { cause.description }

  var remedy: String { "Try again; if it stays so, sso-cache doctor shows what to do about the agent." }

  /// The error for the caller of the library.
  var storeError: SecretStoreError {
    switch cause.meaning {
    case .timedOut: SecretStoreError(.timedOut, "The agent did not reply in time.", underlying: self)
    case .unavailable, .notDelivered, .noSession:
      SecretStoreError(
        .serviceUnavailable, "The agent can't be reached, or ended during the call.", underlying: self)
    case .malformed:
      SecretStoreError(
        .storageFailed, "The agent sent a reply that violates its interface.", underlying: self)
    case .locked, .denied, .noSuchObject, .failed:
      SecretStoreError(.storageFailed, "The agent refused the call.", underlying: self)
    }
  }
}
