// SPDX-License-Identifier: MIT

import CLibSecret
import TokenCacheModel

extension SecretServiceClient {
  /// Makes a collection that a password opens.
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
              Variant.properties([("org.freedesktop.Secret.Collection.Label", Variant.string(label))]),
              handle.encode(password),
            ]
          }, reply: "(o)", read: { $0.path(at: 0) })
      }
    }.flatMap(\.self)
  }

  /// What came of trying a password.
  enum UnlockOutcome: Sendable {
    /// The collection is open.
    case unlocked
    /// The password is not the collection's.
    case denied
    /// The provider can't be asked without a dialog.
    case unsupported
  }

  /// Unlocks a collection with a password.
  ///
  /// A wrong one is refused; there is never a dialog.
  func unlock(_ collection: ObjectPath, password: Secret) async throws -> UnlockOutcome {
    do {
      let done: Void? = try await unlessUnsupported { [self] in
        try await perform { handle in
          try await handle.call(
            .cancellable, path: .service, interface: ServiceHandle.gnomeInterface,
            method: "UnlockWithMasterPassword",
            arguments: { [Variant.path(collection), handle.encode(password)] }, reply: "()",
            read: { _ in })
        }
      }
      return done == nil ? .unsupported : .unlocked
    } catch let error as BusError where error.meaning == .denied {
      return .denied
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
