// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// A connection to one running Secret Service: libsecret's service object, its encrypted session, and a watch for the
/// end of the daemon or the bus.
///
/// Paths and sessions are valid for one daemon only. So a handle is never repaired, but dropped and replaced.
// Unchecked: `service` is immutable, and its key has a lock.
@safe package final class ServiceHandle: @unchecked Sendable {
  /// The daemon's unique name, to which calls are sent; a later owner of the service's name is another daemon.
  let owner: String
  /// The identity of the daemon and its bus; object paths stay valid while that daemon runs, in any session.
  let daemon: String
  let service: UnsafeMutablePointer<SecretService>
  let bus: OpaquePointer
  /// Whether the session is encrypted.
  package let isEncrypted: Bool
  private let determinedTraits = Locked(ProviderTraits())
  private let determinedFiles = Locked<KeyringFiles?>(nil)
  let calls: BusCalls
  /// The session that secrets are encrypted for.
  let session: ObjectPath?
  private let alive: Locked<Bool>
  private let deletions: Locked<Int>
  private let changeCounts: Locked<ChangeCounts>
  private let onLoss: Locked<@Sendable () -> Void>
  private let watches: BusListening

  package static let busName = "org.freedesktop.secrets"

  /// gnome-keyring's own interface, which creates and unlocks a collection with a password and without a prompt.
  static let gnomeInterface = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

  /// KWallet's own interface.
  static let walletInterface = "org.kde.KWallet"

  /// Takes ownership of a service object; must run on the GLib thread.
  ///
  /// - Throws: ``BusError/closed`` when the daemon has ended meanwhile.
  private init(owning service: UnsafeMutablePointer<SecretService>, over session: SessionBus) throws {
    let proxy = unsafe UnsafeMutableRawPointer(service).assumingMemoryBound(to: GDBusProxy.self)
    guard let owner = unsafe Self.name(ofOwner: proxy) else {
      unsafe g_object_unref(service)
      throw BusError.closed
    }
    let bus: OpaquePointer = unsafe g_dbus_proxy_get_connection(proxy)
    unsafe self.service = service
    unsafe self.bus = bus
    self.owner = owner
    calls = session.calls
    daemon = unsafe "\(String(cString: g_dbus_connection_get_guid(bus))) \(owner)"
    let algorithms = unsafe secret_service_get_session_algorithms(service).map { unsafe String(cString: $0) }
    isEncrypted = algorithms?.hasPrefix("dh-ietf1024-sha256") == true
    unsafe g_object_ref(UnsafeMutableRawPointer(bus))
    self.session = unsafe secret_service_get_session_dbus_path(service)
      .flatMap { unsafe ObjectPath(String(cString: $0)) }
    let alive = Locked(true)
    let deletions = Locked(0)
    let changeCounts = Locked(ChangeCounts())
    let onLoss = Locked<@Sendable () -> Void>({})
    let ended: @Sendable () -> Void = {
      alive.withLock { $0 = false }
      onLoss.withLock { $0 }()
    }
    let deleted = Self.deletedCollections(of: owner)
    let signal: @Sendable (BusSignal) -> Void = { signal in
      if Self.ownerChanges.fits(signal) { alive.withLock { $0 = false } }
      if deleted.fits(signal) { deletions.withLock { $0 += 1 } }
      changeCounts.withLock { counts in
        if signal.sender == owner { counts.provider += 1 }
        if Self.changes.fits(signal), let group = signal.argument { counts.groups[group]? += 1 }
      }
    }
    calls.listen(signal: signal, onLoss: ended)
    // These subscriptions make the bus send the signals. The end of the bus itself is not signalled, so it is
    // observed.
    watches = unsafe BusListening(
      [Self.ownerChanges, deleted].map { unsafe BusSubscription($0, on: bus) { _ in } },
      ConnectionCloseObserver(of: bus) { [weak calls] in
        ended()
        calls?.close()
      })
    self.changeCounts = changeCounts
    self.onLoss = onLoss
    self.alive = alive
    self.deletions = deletions
  }

  deinit {
    nonisolated(unsafe) let service = unsafe service
    nonisolated(unsafe) let bus = unsafe bus
    GLibThread.shared.perform {
      unsafe g_object_unref(service)
      unsafe g_object_unref(UnsafeMutableRawPointer(bus))
    }
  }

  /// Returns the unique name of the daemon behind a proxy.
  private static func name(ofOwner proxy: UnsafeMutablePointer<GDBusProxy>) -> String? {
    let owner = unsafe g_dbus_proxy_get_name_owner(proxy)
    defer { unsafe g_free(owner) }
    return unsafe owner.map { unsafe String(cString: $0) }
  }

  /// Connects to the Secret Service on the session bus and opens a session.
  static func open() async throws -> ServiceHandle {
    // Connect to the bus first: its filter rejects forged replies while the session is negotiated.
    let bus = try await SessionBus.connect()
    return try await withGLibCall(.waited) { call in
      unsafe secret_service_open(
        objectType, nil, SECRET_SERVICE_OPEN_SESSION, nil, PendingCall.callback, call.retained())
    } finish: { reply in
      let service = unsafe try withGError { unsafe secret_service_open_finish(reply.result, $0) }
      guard let service = unsafe service else { throw BusError.noOutput }
      return unsafe try ServiceHandle(owning: service, over: bus)
    }
  }

  /// The provider's traits.
  var traits: ProviderTraits { determinedTraits.withLock { $0 } }

  /// The files of the daemon if it is gnome-keyring.
  var keyringFiles: KeyringFiles { determinedFiles.withLock { $0 } ?? KeyringFiles(of: nil) }

  /// Determines the provider's traits, and the folder of gnome-keyring's files.
  func determineTraits() async throws {
    var traits = ProviderTraits()
    traits.offersGnomeInterface = try await has(Self.gnomeInterface, at: .service)
    if traits.offersGnomeInterface {
      let files = try await filesOfDaemon()
      determinedFiles.withLock { $0 = files }
    } else {
      traits.offersWalletInterface = try await has(Self.walletInterface, at: .walletDaemon)
    }
    determinedTraits.withLock { $0 = traits }
  }

  private func filesOfDaemon() async throws -> KeyringFiles {
    do {
      return KeyringFiles(of: SystemProcess(try await calls.process(ofOwner: owner)))
    } catch let error as BusError where ![.timedOut, .unavailable, .malformed].contains(error.meaning) {
      // A sandbox need not let its programs ask.
      return KeyringFiles(of: nil)
    }
  }

  /// Whether the daemon and the bus are still there, as far as is known.
  var isAlive: Bool { alive.withLock { $0 } }

  /// Marks the daemon or its session as gone; the next call opens a new connection.
  func markDead() { alive.withLock { $0 = false } }

  /// Returns the number of signals about a group or the provider as a whole since the session began.
  ///
  /// Signals that were sent before a reply are counted by the time that the reply arrives.
  func changeCount(of group: String) -> Int {
    changeCounts.withLock { counts in
      let groupCount = counts.groups[group] ?? 0
      // The group's signals are counted from now on.
      counts.groups[group] = groupCount
      return counts.provider + groupCount
    }
  }

  /// Sets the handler that runs when the bus is lost.
  func setLossHandler(_ body: @escaping @Sendable () -> Void) { onLoss.withLock { $0 = body } }

  /// The current validity of object paths.
  var validity: PathValidity {
    PathValidity(daemon: daemon, session: session, deletions: deletions.withLock { $0 })
  }
}

/// The state within which an object path keeps naming the same object.
///
/// gnome-keyring reuses the paths of a deleted collection's items for the next collection of the same name. It
/// signals a deletion before it replies to any later call. So a path names the same object as long as two validities
/// are equal.
struct PathValidity: Sendable, Equatable {
  let daemon: String
  let session: ObjectPath?
  /// The number of collections deleted since the session began.
  let deletions: Int
}

extension ServiceHandle {
  /// libsecret's service type without its signal handler, which is not needed here.
  ///
  /// In libsecret 0.20 that handler crashes the app when KeePassXC opens a database after a restart.
  static let objectType: GType = {
    var parent = unsafe GTypeQuery()
    unsafe g_type_query(ssc_service_type(), &parent)
    return unsafe g_type_register_static_simple(
      ssc_service_type(), "SecretStoreCacheService", parent.class_size,
      { type, _ in
        unsafe type?.assumingMemoryBound(to: GDBusProxyClass.self).pointee.g_signal = nil
      }, parent.instance_size, nil, GTypeFlags(rawValue: 0))
  }()
}
