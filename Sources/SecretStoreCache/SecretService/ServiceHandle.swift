// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// One connection to one running Secret Service: libsecret's service object, its encrypted session, and a watch
/// that notices when the daemon or the bus goes away.
///
/// Paths and sessions are good for one daemon only, so a handle is never repaired: it is dropped and a new one
/// opened.
@safe final class ServiceHandle: @unchecked Sendable {  // `service` does not change, and its key has a lock
  /// Which daemon of which bus it is a connection to: object paths hold as long as that one runs, over whatever session.
  let daemon: String
  let service: UnsafeMutablePointer<SecretService>
  let bus: OpaquePointer
  /// Whether the session is encrypted.
  let isEncrypted: Bool
  private let learnt = Locked(ProviderTraits())
  let calls: BusCalls
  /// The session that secrets are encrypted for.
  let session: ObjectPath?
  private let alive: Locked<Bool>
  private let deletions: Locked<Int>
  private let news: Locked<GroupNews>
  private let lost: Locked<@Sendable () -> Void>
  private let watches: BusListening

  static let busName = "org.freedesktop.secrets"

  /// gnome-keyring's own interface, by which a collection is made and unlocked with a password and no dialog.
  static let gnomeInterface = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

  /// KWallet's own interface.
  static let walletInterface = "org.kde.KWallet"

  /// Takes over a service object; on the GLib thread.
  private init(owning service: UnsafeMutablePointer<SecretService>) {
    unsafe self.service = service
    let proxy = unsafe UnsafeMutableRawPointer(service).assumingMemoryBound(to: GDBusProxy.self)
    let bus: OpaquePointer = unsafe g_dbus_proxy_get_connection(proxy)
    unsafe self.bus = bus
    let owner = unsafe Self.name(ofOwner: proxy)
    daemon = unsafe "\(String(cString: g_dbus_connection_get_guid(bus))) \(owner)"
    let algorithms = unsafe secret_service_get_session_algorithms(service).map { unsafe String(cString: $0) }
    isEncrypted = algorithms?.hasPrefix("dh-ietf1024-sha256") == true
    unsafe g_object_ref(UnsafeMutableRawPointer(bus))
    session = unsafe secret_service_get_session_dbus_path(service)
      .map { unsafe ObjectPath(String(cString: $0)) }
    // A lost bus is an error of the next call, never the end of the app.
    unsafe g_dbus_connection_set_exit_on_close(bus, 0)
    let alive = Locked(true)
    let deletions = Locked(0)
    let news = Locked(GroupNews())
    let lost = Locked<@Sendable () -> Void>({})
    let ended: @Sendable () -> Void = {
      alive.withLock { $0 = false }
      lost.withLock { $0 }()
    }
    let signal: @Sendable (BusSignal) -> Void = { signal in
      if Self.ownerChanges.fits(signal) { alive.withLock { $0 = false } }
      if Self.deletedCollections.fits(signal) { deletions.withLock { $0 += 1 } }
      if signal.sender == owner { news.withLock { $0.ofProvider += 1 } }
      if Self.changes.fits(signal) { news.withLock { $0.ofGroups[signal.argument ?? "", default: 0] += 1 } }
    }
    let calls = unsafe BusCalls(on: bus, signal: signal, lost: ended)
    // So that the bus sends them, and for the end of the bus itself, of which no signal tells.
    watches = unsafe BusListening(
      [Self.ownerChanges, Self.deletedCollections].map { unsafe BusSubscription($0, on: bus) { _ in } },
      BusClosure(of: bus) { [weak calls] in
        ended()
        calls?.close()
      })
    self.news = news
    self.lost = lost
    self.alive = alive
    self.deletions = deletions
    self.calls = calls
  }

  deinit {
    nonisolated(unsafe) let service = unsafe service
    nonisolated(unsafe) let bus = unsafe bus
    GLibThread.shared.perform {
      unsafe g_object_unref(service)
      unsafe g_object_unref(UnsafeMutableRawPointer(bus))
    }
  }

  /// The name of the daemon behind a proxy, which no other has on its bus.
  private static func name(ofOwner proxy: UnsafeMutablePointer<GDBusProxy>) -> String {
    let owner = unsafe g_dbus_proxy_get_name_owner(proxy)
    defer { unsafe g_free(owner) }
    return unsafe owner.map { unsafe String(cString: $0) } ?? ""
  }

  /// Connects to the session bus's Secret Service and opens a session.
  static func open() async throws -> ServiceHandle {
    try await withGLibCall(.waited) { call in
      unsafe secret_service_open(
        objectType, nil, SECRET_SERVICE_OPEN_SESSION, nil, PendingCall.callback, call.retained())
    } finish: { answer in
      let service = unsafe try withGError { unsafe secret_service_open_finish(answer.result, $0) }
      guard let service = unsafe service else { throw BusError(domain: "libsecret", code: 0) }
      return unsafe ServiceHandle(owning: service)
    }
  }

  /// What the provider can be trusted with.
  var traits: ProviderTraits { learnt.withLock { $0 } }

  /// Finds out what the provider can be trusted with.
  func learnTraits() async throws {
    var traits = ProviderTraits()
    traits.offersGnomeInterface = try await has(Self.gnomeInterface, at: .service)
    if !traits.offersGnomeInterface {
      traits.offersWalletInterface = try await has(Self.walletInterface, at: .walletDaemon)
    }
    learnt.withLock { $0 = traits }
  }

  /// Whether the daemon and the bus are, as far as is known, still there.
  var isAlive: Bool { alive.withLock { $0 } }

  /// Notes that the daemon or its session is gone: the next call connects anew.
  func markDead() { alive.withLock { $0 = false } }

  /// How often something was told of a group, or of the provider as a whole, since the session began.
  ///
  /// It has counted what was sent before an answer when the answer is there.
  func news(of group: String) -> Int { news.withLock { $0.ofProvider + $0.ofGroups[group, default: 0] } }

  /// Runs something when the bus is lost.
  func whenLost(_ body: @escaping @Sendable () -> Void) { lost.withLock { $0 = body } }

  /// What paths are good for now.
  var era: PathEra {
    PathEra(daemon: daemon, session: session, deletions: deletions.withLock { $0 })
  }
}
