// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// Makes an item, or, where the provider does so without a dialog, replaces the one whose attributes include the
  /// given ones.
  ///
  /// One write. There must be no such item where the provider asks before it replaces one.
  func createItem(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: Secret
  ) async throws -> ObjectPath {
    var stored = attributes
    stored[ItemAttributes.schemaName] = schema
    return try await toItsEnd { [self, stored] in
      for _ in 1...Self.sessionAttempts {
        do {
          switch try await sendItem(to: collection, label, stored, secret) {
          case .done(let item?):
            if try await !isKept(secret, in: item) { try await setSecret(secret, of: item) }
            return item
          case .refused(let item?):
            // KeePassXC did not know the session, and has made an item nevertheless.
            try await connection().markDead()
            try await setAttributes(stored, of: item)
            try await setSecret(secret, of: item)
            return item
          case .done(nil), .refused(nil):
            throw SecretStoreError(.storageFailed, "The Secret Service refused to make an item.")
          }
        } catch let error as BusError where error.meaning == .noSession {
          guard let item = try await halfMade(attributes, in: collection) else { continue }
          try await setSecret(secret, of: item)
          return item
        }
      }
      throw Self.losesSessions
    }
  }

  private func sendItem(
    to collection: ObjectPath, _ label: String, _ attributes: [String: String], _ secret: Secret
  ) async throws -> PromptOutcome {
    let window = WriteWindow.current
    let (item, prompt) = try await performOnce { handle in
      try await handle.call(
        .waited, path: collection, interface: "org.freedesktop.Secret.Collection", method: "CreateItem",
        arguments: {
          try window?.check()
          return [
            Variant.properties([
              ("org.freedesktop.Secret.Item.Label", Variant.string(label)),
              ("org.freedesktop.Secret.Item.Attributes", Variant.strings(attributes)),
            ]),
            handle.encode(secret), Variant.boolean(handle.traits.replacesWithoutDialog),
          ]
        }, reply: "(oo)",
        read: { ($0.path(at: 0), $0.path(at: 1)) })
    }
    if let item, item != .none { return .done(item) }
    return try await makeItem(in: collection, by: prompt)
  }

  /// An item that KWallet has made although it did not know the session, and so without a secret.
  private func halfMade(
    _ attributes: [String: String], in collection: ObjectPath
  ) async throws -> ObjectPath? {
    guard try await traits().offersWalletInterface else { return nil }
    let items = try await search(attributes).unlocked.filter { $0.parent == collection }
    let secrets = try await secrets(of: items)
    return items.first { secrets[$0]?.isEmpty == true }
  }
}
