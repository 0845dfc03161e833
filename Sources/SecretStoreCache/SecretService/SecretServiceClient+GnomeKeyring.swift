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
