// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging

/// A client of the session's Secret Service with Swift values and async functions; its callers see no pointers.
///
/// The client connects with the first call, and again after the daemon was restarted or the bus was lost. Every call
/// keeps to the deadline of the public call that it serves. Calls run on the caller's executor: a hop to an actor
/// would cost as much as the round trip to the daemon. Only the calls that take a ``PromptPolicy`` may show a dialog.
package final class SecretServiceClient: Sendable {
  private struct State {
    var handle: ServiceHandle?
    var opening: Task<ServiceHandle, any Error>?
  }

  /// Whether a provider that offers only an unencrypted session is accepted.
  private let allowsPlainTransport: Bool
  private let state = Locked(State())
  /// The requests that the user refused in this process.
  let refusals = Locked<Set<PromptRequest>>([])
  /// The verified location of each group among the collections that have its marker.
  let provenLocations = Locked<[AccessGroup: ProvenLocation]>([:])
  /// The collections that opened with a group's password.
  let openedCollections = Locked<Set<GroupCollection>>([])
  /// The collections in which records of a group may be changed.
  let writableCollections = Locked<[GroupCollection: CollectionProof]>([:])

  /// The log for everything outside of a silent call.
  let logger: Logger

  /// Whether other apps use the same lock files as this process.
  let locks: LockSharing

  init(
    allowsPlainTransport: Bool = false, logger: Logger = Logger(label: "org.secretstorecache.SecretStore"),
    locks: LockSharing = LockSharing()
  ) {
    self.allowsPlainTransport = allowsPlainTransport
    self.logger = logger
    self.locks = locks
  }

  /// Returns the current connection, and opens one if needed.
  ///
  /// What is known about paths is valid for one connection only. A caller waits for a connection that is being opened
  /// until its own deadline or cancellation. The opening goes on for the other callers that wait. After a timeout or
  /// an error, the next call starts a new one.
  package func connection() async throws -> ServiceHandle {
    if let live { return live }
    return try await Deadline.run(within: Deadline.untilReply) { try await openedConnection() }
  }

  private func openedConnection() async throws -> ServiceHandle {
    while true {
      if let live { return live }
      guard let task = opening() else { continue }
      do {
        return try await waitForConnection(task)
      } catch {
        if !(error is CancellationError) { state.withLock { if $0.opening == task { $0.opening = nil } } }
        // The deadline that passed may be that of the call that began to open the connection.
        guard let error = error as? SecretStoreError, error.code == .timedOut, error.underlying == nil,
          !Deadline.hasPassed
        else { throw error }
      }
    }
  }

  /// Returns the task that opens a connection; `nil` when a live connection exists by now.
  private func opening() -> Task<ServiceHandle, any Error>? {
    // Release a dead connection first: GIO returns a lost bus for as long as anybody holds a reference to it.
    dropConnection { !$0.isAlive }
    return state.withLock { state in
      if state.handle != nil { return nil }
      let task = state.opening ?? Task { try await open() }
      state.opening = task
      return task
    }
  }

  /// Opens a connection, even when no caller waits for it any more.
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
    dropConnection { _ in true }
    state.withLock { $0 = State(handle: opened) }
    opened.setLossHandler { [weak self, weak opened] in self?.dropConnection { $0 === opened } }
    log(
      .debug, "connected to the Secret Service",
      ["encrypted": "\(opened.isEncrypted)", "provider": "\(opened.traits)"])
    return opened
  }

  /// Drops the connection if it is useless; it is released outside of the lock.
  private func dropConnection(if isUseless: (ServiceHandle) -> Bool) {
    let former = state.withLock { state in
      state.handle.map(isUseless) == true ? state.handle.take() : nil
    }
    withExtendedLifetime(former) {}
  }

  /// Waits for a connection until the caller's deadline or cancellation.
  private func waitForConnection(_ task: Task<ServiceHandle, any Error>) async throws -> ServiceHandle {
    let waiting = TypedCall<ServiceHandle> { _ in throw BusError.malformed }
    Task { waiting.end(with: await task.result) }
    return try await withTaskCancellationHandler {
      try await waiting.wait(limit: Deadline.remaining)
    } onCancel: {
      waiting.abandon(CancellationError())
    }
  }

  /// The current connection if it is known to be alive; this never connects.
  var live: ServiceHandle? {
    guard let handle = state.withLock({ $0.handle }), handle.isAlive else { return nil }
    return handle
  }

  /// Connects and determines the provider's traits.
  private static func open() async throws -> ServiceHandle {
    try SessionBusOwner.check()
    do {
      let handle = try await openSession()
      try await handle.determineTraits()
      if handle.traits.offersGnomeInterface { try await handle.openLoginWithoutPassword() }
      return handle
    } catch let error as BusError where error.name == BusError.accessDenied {
      throw SecretStoreError(
        .serviceUnavailable,
        "The bus does not let this program talk to the Secret Service. \(DeniedCall(error).detail)",
        underlying: DeniedCall(error))
    } catch let error as BusError where error.meaning == .noSuchObject {
      throw SecretStoreError(
        .serviceUnavailable,
        "The program that has the name \(ServiceHandle.busName) on the session bus is no Secret Service.",
        underlying: error)
    } catch let error as BusError where error.isEndOfConnection {
      guard let app = FlatpakMetadata.appWithoutSecretService else { throw error }
      throw SecretStoreError(
        .serviceUnavailable, FlatpakMetadata.missingPermission(of: app), underlying: error)
    }
  }

  /// Opens a session, in ``sessionAttempts`` attempts.
  ///
  /// Newer versions of KWallet refuse a client's public key that is shorter than 128 bytes, as one in 256 is. A daemon
  /// that starts or ends meanwhile leaves a session without an owner.
  private static func openSession() async throws -> ServiceHandle {
    var attempts = sessionAttempts
    while true {
      do {
        return try await ServiceHandle.open()
      } catch let error as BusError where error == .closed && attempts > 1 {
        attempts -= 1
      } catch let error as BusError where error.meaning == .failed && error.name != BusError.accessDenied {
        // Without a D-Bus error name no program has replied: the bus itself refused.
        guard error.name != nil || error.domain != "g-io-error-quark" else {
          throw SecretStoreError(
            .serviceUnavailable, "The session bus refuses the connection.", underlying: error)
        }
        attempts -= 1
        guard attempts == 0 else { continue }
        throw SecretStoreError(
          .insecureTransport,
          "The Secret Service can't open an encrypted session; KWallet needs QCA's OpenSSL plugin for it.",
          underlying: error)
      }
    }
  }

  /// Returns the traits of the current provider.
  package func traits() async throws -> ProviderTraits { try await connection().traits }

  /// The files of the current provider if it is gnome-keyring.
  package var keyringFiles: KeyringFiles { get async throws { try await connection().keyringFiles } }

  /// Runs a call, and runs it again over a new connection when the daemon does not know the session.
  ///
  /// A call that failed this way had no effect, except `CreateItem`: use ``performOnce(_:)`` for that.
  func perform<Output: Sendable>(
    _ call: @Sendable (ServiceHandle) async throws -> Output
  ) async throws -> Output {
    do {
      return try await performOnce(call)
    } catch let error as BusError where error.meaning == .noSession {
      return try await call(connection())
    }
  }

  /// Runs a call without retrying it in a new session; a useless connection is replaced for the next call.
  ///
  /// The call is sent again only when the daemon has gone before it received the call.
  func performOnce<Output: Sendable>(
    _ call: @Sendable (ServiceHandle) async throws -> Output
  ) async throws -> Output {
    do {
      return try await attempt(call)
    } catch let error as BusError where error.meaning == .notDelivered {
      return try await attempt(call)
    }
  }

  private func attempt<Output: Sendable>(
    _ call: @Sendable (ServiceHandle) async throws -> Output
  ) async throws -> Output {
    let handle = try await connection()
    do {
      return try await call(handle)
    } catch let error as BusError where error.isEndOfConnection {
      handle.markDead()
      throw error
    }
  }
}
