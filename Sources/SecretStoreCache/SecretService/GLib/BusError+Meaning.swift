// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension BusError {
  /// What an error means for whoever made the call: the one place that knows the services' error names.
  enum Meaning: Sendable {
    /// The item or its collection is locked.
    case locked
    /// There is no such object, method or interface.
    case noSuchObject
    /// The session is not known to the service: it was restarted.
    case noSession
    /// A password was refused.
    case denied
    /// There is no bus or no service, or it went away before it answered.
    case unavailable
    /// No answer came in time.
    case timedOut
    /// The answer is not what the specification says.
    case malformed
    /// Anything else.
    case failed
  }

  private static let meanings: [String: Meaning] = [
    "org.freedesktop.Secret.Error.IsLocked": .locked,
    "org.freedesktop.Secret.Error.NoSession": .noSession,
    // KWallet's, when it makes nothing of a secret: the session is gone, or its two ends have different keys.
    "org.qtproject.QtDBus.Error.InvalidObjectPath": .noSession,
    "org.freedesktop.Secret.Error.NoSuchObject": .noSuchObject,
    "org.freedesktop.DBus.Error.UnknownMethod": .noSuchObject,
    "org.freedesktop.DBus.Error.UnknownObject": .noSuchObject,
    "org.freedesktop.DBus.Error.UnknownInterface": .noSuchObject,
    "org.gnome.keyring.Error.Denied": .denied,
    "org.freedesktop.DBus.Error.ServiceUnknown": .unavailable,
    "org.freedesktop.DBus.Error.NameHasNoOwner": .unavailable,
    "org.freedesktop.DBus.Error.NoServer": .unavailable,
    "org.freedesktop.DBus.Error.NoReply": .unavailable,
    "org.freedesktop.DBus.Error.Disconnected": .unavailable,
    "org.freedesktop.DBus.Error.Timeout": .timedOut,
    "org.freedesktop.DBus.Error.TimedOut": .timedOut,
  ]

  /// What a bus says whose policy does not let a program talk to another.
  static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"

  /// GIO's own codes: failed, not found, invalid argument, closed, broken pipe and connection refused are what
  /// it answers when there is no bus to talk to.
  private static let unavailableCodes: Set<Int> = [0, 1, 13, 18, 44, 39]
  private static let timedOutCode = 24

  /// What the error means.
  var meaning: Meaning {
    if let name {
      if let meaning = Self.meanings[name] { return meaning }
      return name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") ? .unavailable : .failed
    }
    if self == .malformed { return .malformed }
    guard domain == "g-io-error-quark" else { return .failed }
    if code == Self.timedOutCode { return .timedOut }
    return Self.unavailableCodes.contains(code) ? .unavailable : .failed
  }

  /// Whether it is the answer to a call about items, and not the want of one.
  var isAboutItems: Bool {
    switch meaning {
    case .locked, .noSuchObject, .failed: true
    case .noSession, .denied, .unavailable, .timedOut, .malformed: false
    }
  }

  /// The error as a caller of the library sees it.
  var storeError: SecretStoreError {
    switch meaning {
    case .locked: SecretStoreError(.groupLocked, "The keyring is locked.", underlying: self)
    case .denied:
      SecretStoreError(.groupUnrecoverable, "The keyring's password was refused.", underlying: self)
    case .timedOut:
      SecretStoreError(.timedOut, "The Secret Service did not answer in time.", underlying: self)
    case .unavailable:
      SecretStoreError(
        .serviceUnavailable, "There is no session bus, or no Secret Service on it.", underlying: self)
    case .malformed:
      SecretStoreError(
        .storageFailed, "The Secret Service gave an answer that is against its specification.",
        underlying: self)
    case .noSession, .noSuchObject, .failed:
      SecretStoreError(.storageFailed, "The Secret Service refused the call.", underlying: self)
    }
  }
}

extension Error {
  /// Whether it says that something is locked.
  var meansLocked: Bool {
    if let error = self as? BusError { return error.meaning == .locked }
    return (self as? SecretStoreError)?.code == .groupLocked
  }
}
