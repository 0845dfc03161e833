// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging

/// A client of the session's Secret Service, as Swift values and async functions: nothing above it sees a
/// pointer.
///
/// It connects with the first call and again when the daemon was restarted or the bus went away. Every call
/// keeps to the deadline of the public call that it serves. None of them prompts.
actor SecretServiceClient {
  /// Whether a provider that offers only the unencrypted session is taken.
  private let allowsPlainTransport: Bool
  private var handle: ServiceHandle? {
    didSet { current.withLock { [handle] in $0 = handle } }
  }
  private let current = Locked<ServiceHandle?>(nil)
  /// What a person refused in this process.
  var refusals: Set<PromptRequest> = []
  private var opening: Task<ServiceHandle, any Error>?

  /// Where is logged what belongs to no silent call.
  nonisolated let logger: Logger

  init(
    allowsPlainTransport: Bool = false, logger: Logger = Logger(label: "org.secretstorecache.SecretStore")
  ) {
    self.allowsPlainTransport = allowsPlainTransport
    self.logger = logger
  }

  /// The connection of now, which changes when the daemon does: what was learnt of paths is good for one only.
  func connection() async throws -> ServiceHandle {
    if let handle, handle.isAlive { return handle }
    handle = nil
    if let opening { return try await opening.value }
    let task = Task { [allowsPlainTransport] in
      let opened: ServiceHandle
      do {
        opened = try await Self.open()
      } catch let error as BusError {
        throw error.storeError
      }
      guard opened.isEncrypted || allowsPlainTransport else {
        throw SecretStoreError(.insecureTransport, "The Secret Service offers no encrypted session.")
      }
      return opened
    }
    opening = task
    defer { opening = nil }
    let opened = try await task.value
    handle = opened
    log(
      .debug, "connected to the Secret Service",
      ["encrypted": "\(opened.isEncrypted)", "provider": "\(opened.traits)"])
    return opened
  }

  /// The connection, if there is one that is alive as far as is known; nothing is connected for it.
  nonisolated var live: ServiceHandle? {
    guard let handle = current.withLock({ $0 }), handle.isAlive else { return nil }
    return handle
  }

  /// Connects, and finds out to whom.
  ///
  /// Newer versions of KWallet refuse one public key in 256, which is shorter than the others.
  private static func open() async throws -> ServiceHandle {
    var attempts = sessionAttempts
    while true {
      do {
        let handle = try await ServiceHandle.open()
        try await handle.learnTraits()
        return handle
      } catch let error as BusError where error.name == BusError.accessDenied {
        throw SecretStoreError(
          .serviceUnavailable, "The bus does not let this program talk to the Secret Service.",
          underlying: error)
      } catch let error as BusError where error.meaning == .failed {
        attempts -= 1
        guard attempts == 0 else { continue }
        throw SecretStoreError(
          .insecureTransport,
          "The Secret Service can't open an encrypted session; KWallet needs QCA's OpenSSL plugin for it.",
          underlying: error)
      }
    }
  }

  /// What the provider can be trusted with.
  func traits() async throws -> ProviderTraits { try await connection().traits }

  /// Runs a call over the connection, and once more over a new one when the daemon says that it does not know
  /// the session: then the first one did nothing.
  func perform<Output: Sendable>(
    _ call: @Sendable (ServiceHandle) async throws -> Output
  ) async throws -> Output {
    do {
      return try await performOnce(call)
    } catch let error as BusError where error.meaning == .noSession {
      return try await call(connection())
    }
  }

  /// Runs a call over the connection, which is opened anew for the next one when this one finds it useless.
  func performOnce<Output: Sendable>(
    _ call: @Sendable (ServiceHandle) async throws -> Output
  ) async throws -> Output {
    let handle = try await connection()
    do {
      return try await call(handle)
    } catch let error as BusError where error.meaning == .noSession || error.meaning == .unavailable {
      handle.markDead()
      throw error
    }
  }
}
