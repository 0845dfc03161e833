// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension BusError {
  /// The meaning of an error for the caller; all D-Bus error names of the providers are listed here.
  package enum Meaning: Sendable {
    /// The item or its collection is locked.
    case locked
    /// The object, method or interface does not exist.
    case noSuchObject
    /// The service does not know the session, for example because it was restarted.
    case noSession
    /// The password was refused.
    case denied
    /// The bus or the service does not exist, or went away before it replied.
    case unavailable
    /// The called program has gone and did not receive the call.
    case notDelivered
    /// No reply arrived in time.
    case timedOut
    /// The reply does not conform to the specification.
    case malformed
    /// Any other error.
    case failed
  }

  private static let meanings: [String: Meaning] = [
    "org.freedesktop.Secret.Error.IsLocked": .locked,
    "org.freedesktop.Secret.Error.NoSession": .noSession,
    // KWallet sends this when it can't decrypt a secret: the session is gone, or its two ends have different keys.
    "org.qtproject.QtDBus.Error.InvalidObjectPath": .noSession,
    "org.freedesktop.Secret.Error.NoSuchObject": .noSuchObject,
    "org.freedesktop.DBus.Error.UnknownMethod": .noSuchObject,
    "org.freedesktop.DBus.Error.UnknownObject": .noSuchObject,
    "org.freedesktop.DBus.Error.UnknownInterface": .noSuchObject,
    "org.gnome.keyring.Error.Denied": .denied,
    "org.freedesktop.DBus.Error.ServiceUnknown": .notDelivered,
    "org.freedesktop.DBus.Error.NameHasNoOwner": .notDelivered,
    "org.freedesktop.DBus.Error.NoServer": .unavailable,
    "org.freedesktop.DBus.Error.NoReply": .unavailable,
    "org.freedesktop.DBus.Error.Disconnected": .unavailable,
    "org.freedesktop.DBus.Error.Timeout": .timedOut,
    "org.freedesktop.DBus.Error.TimedOut": .timedOut,
  ]

  /// The error of a call that could not be done, as gnome-keyring's when it can't write a file.
  package static let failed = "org.freedesktop.DBus.Error.Failed"

  /// The error of a bus whose policy does not let a program talk to another.
  package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"

  /// GIO's codes for a missing bus: failed, not found, invalid argument, closed, broken pipe and connection refused.
  private static let unavailableCodes: Set<Int> = [0, 1, 13, 18, 44, 39]
  private static let timedOutCode = 24

  /// The error's meaning.
  package var meaning: Meaning {
    if let name {
      if let meaning = Self.meanings[name] { return meaning }
      return name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") ? .unavailable : .failed
    }
    if self == .malformed { return .malformed }
    guard domain == "g-io-error-quark" else { return .failed }
    if code == Self.timedOutCode { return .timedOut }
    return Self.unavailableCodes.contains(code) ? .unavailable : .failed
  }

  /// Whether the connection is useless after the error.
  var isEndOfConnection: Bool { [.noSession, .unavailable, .notDelivered].contains(meaning) }

  /// Whether a service replied with an error about the items of the call.
  var isItemError: Bool {
    switch meaning {
    case .locked, .noSuchObject, .failed: true
    case .noSession, .denied, .unavailable, .notDelivered, .timedOut, .malformed: false
    }
  }

  /// The error for the caller of the library.
  package var storeError: SecretStoreError {
    switch meaning {
    case .locked: SecretStoreError(.groupLocked, "The keyring is locked.", underlying: self)
    case .denied:
      SecretStoreError(.groupUnrecoverable, "The keyring's password was refused.", underlying: self)
    case .timedOut:
      SecretStoreError(.timedOut, "The Secret Service did not reply in time.", underlying: self)
    case .unavailable, .notDelivered:
      SecretStoreError(
        .serviceUnavailable, "There is no session bus, or no Secret Service on it.", underlying: self)
    case .malformed:
      SecretStoreError(
        .storageFailed, "The Secret Service sent a reply that violates its specification.",
        underlying: self)
    case .failed where name == Self.accessDenied:
      SecretStoreError(.storageFailed, DeniedCall(self).detail, underlying: DeniedCall(self))
    case .noSession, .noSuchObject, .failed:
      SecretStoreError(.storageFailed, "The Secret Service refused the call.", underlying: self)
    }
  }
}

extension Error {
  /// Whether the error says that something is locked.
  var meansLocked: Bool {
    if let error = self as? BusError { return error.meaning == .locked }
    return (self as? SecretStoreError)?.code == .groupLocked
  }
}
