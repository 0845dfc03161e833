// SPDX-License-Identifier: MIT

import TokenCacheModel

extension SecretServiceClient {
  /// Creates a collection that is unlocked with a given password.
  ///
  /// - Returns: The collection, or `nil` when the provider does not offer this.
  func createCollection(label: String, password: Secret) async throws -> ObjectPath? {
    try await unlessUnsupported { [self] in
      try await perform { handle in
        try await handle.call(
          .waited, path: .service, interface: ServiceHandle.gnomeInterface,
          method: "CreateWithMasterPassword",
          arguments: {
            [
              try .properties([("org.freedesktop.Secret.Collection.Label", .string(label))]),
              try handle.encode(password),
            ]
          }, reply: "(o)", read: { $0.path(at: 0) })
      }
    }.flatMap(\.self)
  }

  /// The outcome of an unlock with a password.
  enum UnlockOutcome: Sendable {
    /// The collection is unlocked.
    case unlocked
    /// The password is not the collection's.
    case denied
    /// The provider can't unlock with a password, only with a prompt.
    case unsupported
  }

  /// The size of the largest password that is tried, in bytes.
  ///
  /// Any program can store an item with a password's attributes, and the bus disconnects who sends too much.
  private static let maximumPasswordBytes = 64 << 10

  /// Unlocks a collection with a password; there is never a prompt.
  func unlock(_ collection: ObjectPath, password: Secret) async throws -> UnlockOutcome {
    guard password.count <= Self.maximumPasswordBytes else { return .denied }
    do {
      let done: Void? = try await unlessUnsupported { [self] in
        try await perform { handle in
          try await handle.call(
            .cancellable, path: .service, interface: ServiceHandle.gnomeInterface,
            method: "UnlockWithMasterPassword",
            arguments: { [try .path(collection), try handle.encode(password)] }, reply: "()",
            read: { _ in })
        }
      }
      return done == nil ? .unsupported : .unlocked
    } catch let error as BusError where error.meaning == .denied {
      return .denied
    }
  }

  /// Returns whether a password is that of an unlocked collection; `false` when the provider can't check it.
  ///
  /// gnome-keyring accepts any password for the unlock of a collection that is already unlocked. So this changes the
  /// password to itself, which succeeds only with the right one. It also rewrites the collection's file.
  package func isPassword(_ password: Secret, of collection: ObjectPath) async throws -> Bool {
    guard password.count <= Self.maximumPasswordBytes else { return false }
    do {
      let done: Void? = try await unlessUnsupported { [self] in
        try await perform { handle in
          try await handle.call(
            .cancellable, path: .service, interface: ServiceHandle.gnomeInterface,
            method: "ChangeWithMasterPassword",
            arguments: { [try .path(collection), try handle.encode(password), try handle.encode(password)] },
            reply: "()", read: { _ in })
        }
      }
      return done != nil
    } catch let error as BusError where error.meaning == .denied {
      return false
    }
  }

  private func unlessUnsupported<Output: Sendable>(
    _ body: () async throws -> Output
  ) async throws -> Output? {
    do {
      return try await body()
    } catch let error as BusError where error.meaning == .noSuchObject {
      return nil
    }
  }
}

extension ServiceHandle {
  /// Opens gnome-keyring's login keyring where its password is empty, as it is with an automatic login.
  ///
  /// Its file is then not encrypted, and the standard unlock opens it for every program without a prompt. Where the
  /// file is not visible, as in a sandbox, the empty password is tried: it is refused without a prompt.
  func openLoginWithoutPassword() async throws {
    guard keyringFiles.isEncrypted(KeyringFiles.login) != true else { return }
    let login = KeyringFiles.loginCollection
    let isLocked: Bool?
    do {
      isLocked = try await call(
        .cancellable, path: login, interface: "org.freedesktop.DBus.Properties", method: "Get",
        arguments: { [try .string("org.freedesktop.Secret.Collection"), try .string("Locked")] },
        reply: "(v)", read: { $0.unwrapped(at: 0) { $0.bool } })
    } catch let error as BusError where error.meaning == .noSuchObject {
      return
    } catch let error as BusError where error.name == BusError.accessDenied {
      // A bus that filters calls may let those through that a call of the app needs.
      return
    }
    guard let isLocked else { throw BusError.malformed }
    if !isLocked { return }
    do {
      try await call(
        .cancellable, path: .service, interface: Self.gnomeInterface, method: "UnlockWithMasterPassword",
        arguments: { [try .path(login), try self.encode(Secret([]))] }, reply: "()", read: { _ in })
    } catch let error as BusError where [.noSuchObject, .denied, .failed].contains(error.meaning) {
      // It has a password.
    }
  }
}
