// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging

/// A client of the session's Secret Service, as Swift values and async functions: nothing above it sees a
/// pointer.
///
/// It connects with the first call and again when the daemon was restarted or the bus went away. Every call
/// keeps to the deadline of the public call that it serves, and runs where that was made: no actor stands between, since
/// each change of threads costs as much as the way to the daemon. None of them prompts.
final class SecretServiceClient: Sendable {
  private struct State {
    var handle: ServiceHandle?
    var opening: Task<ServiceHandle, any Error>?
  }

  /// Whether a provider that offers only the unencrypted session is taken.
  private let allowsPlainTransport: Bool
  private let state = Locked(State())
  /// What a person refused in this process.
  let refusals = Locked<Set<PromptRequest>>([])

  /// Where is logged what belongs to no silent call.
  let logger: Logger

  /// Whether others keep to the locks that its users take.
  let locks: LockSharing

  init(
    allowsPlainTransport: Bool = false, logger: Logger = Logger(label: "org.secretstorecache.SecretStore"),
    locks: LockSharing = LockSharing()
  ) {
    self.allowsPlainTransport = allowsPlainTransport
    self.logger = logger
    self.locks = locks
  }

  /// The connection of now, which changes when the daemon does: what was learnt of paths is good for one only.
  ///
  /// Whoever waits for one that is being opened ends with their own deadline or cancellation. What is then still being
  /// opened is left to those who wait on; the next call begins anew.
  func connection() async throws -> ServiceHandle {
    while true {
      if let live { return live }
      guard let task = opening() else { continue }
      do {
        return try await ended(task)
      } catch {
        if !(error is CancellationError) { state.withLock { if $0.opening == task { $0.opening = nil } } }
        // The deadline that has passed may have been that of the call that began to open.
        guard let error = error as? SecretStoreError, error.code == .timedOut, error.underlying == nil,
          !Deadline.hasPassed
        else { throw error }
      }
    }
  }

  /// A connection that is being opened; `nil` when there is a live one by now.
  private func opening() -> Task<ServiceHandle, any Error>? {
    // First, since GIO hands out a bus that was lost for as long as anybody holds it.
    letGo { !$0.isAlive }
    return state.withLock { state in
      if state.handle != nil { return nil }
      let task = state.opening ?? Task { try await open() }
      state.opening = task
      return task
    }
  }

  /// Opens a connection, also when nobody waits for it any more.
  private func open() async throws -> ServiceHandle {
    let opened: ServiceHandle
    do {
      opened = try await Self.open()
      guard opened.isEncrypted || allowsPlainTransport else {
        throw SecretStoreError(.insecureTransport, "The Secret Service offers no encrypted session.")
      }
    } catch {
      state.withLock { $0.opening = nil }
      throw (error as? BusError)?.storeError ?? error
    }
    letGo { _ in true }
    state.withLock { $0 = State(handle: opened) }
    opened.whenLost { [weak self, weak opened] in self?.letGo { $0 === opened } }
    log(
      .debug, "connected to the Secret Service",
      ["encrypted": "\(opened.isEncrypted)", "provider": "\(opened.traits)"])
    return opened
  }

  /// Drops a connection, outside of the lock.
  private func letGo(if isUseless: (ServiceHandle) -> Bool) {
    let former = state.withLock { state in
      state.handle.map(isUseless) == true ? state.handle.take() : nil
    }
    withExtendedLifetime(former) {}
  }

  /// Waits for a connection, for as long as the caller does.
  private func ended(_ task: Task<ServiceHandle, any Error>) async throws -> ServiceHandle {
    let waiting = TypedCall<ServiceHandle> { _ in throw BusError.malformed }
    Task { waiting.end(with: await task.result) }
    return try await withTaskCancellationHandler {
      try await waiting.wait(limit: Deadline.remaining)
    } onCancel: {
      waiting.abandon(CancellationError())
    }
  }

  /// The connection, if there is one that is alive as far as is known; nothing is connected for it.
  var live: ServiceHandle? {
    guard let handle = state.withLock({ $0.handle }), handle.isAlive else { return nil }
    return handle
  }

  /// Connects, and finds out to whom.
  ///
  /// Newer versions of KWallet refuse one public key in 256, which is shorter than the others.
  private static func open() async throws -> ServiceHandle {
    do {
      let handle = try await openSession()
      try await handle.learnTraits()
      return handle
    } catch let error as BusError where error.name == BusError.accessDenied {
      throw SecretStoreError(
        .serviceUnavailable, "The bus does not let this program talk to the Secret Service.",
        underlying: error)
    }
  }

  private static func openSession() async throws -> ServiceHandle {
    var attempts = sessionAttempts
    while true {
      do {
        return try await ServiceHandle.open()
      } catch let error as BusError where error.meaning == .failed && error.name != BusError.accessDenied {
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
