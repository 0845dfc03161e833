// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// The attribute that holds the schema name, as libsecret stores it.
  package static let schemaAttribute = "xdg:schema"

  /// Creates an item, or replaces the item whose attributes include the given ones.
  ///
  /// It replaces only where the provider does so without a prompt. With any other provider there must be no such
  /// item. This is one write.
  ///
  /// - Parameters:
  ///   - replaces: Whether an existing item may be replaced.
  ///   - optimisticWrite: The write without a lock that this is a part of; `nil` for any other.
  /// - Throws: ``WriteConflict`` when it is too late for the optimistic write.
  package func createItem(
    in collection: ObjectPath, label: String, attributes: [String: String], schema: String, secret: Secret,
    replaces: Bool = true, during optimisticWrite: OptimisticWrite? = nil
  ) async throws -> ObjectPath {
    var stored = attributes
    stored[Self.schemaAttribute] = schema
    return try await runUncancelled { [self, stored] in
      for _ in 1...Self.sessionAttempts {
        do {
          switch try await sendItem(to: collection, label, stored, secret, replaces, during: optimisticWrite)
          {
          case .done(let item?):
            if try await !isKept(secret, in: item) {
              try await setSecret(secret, of: item, during: optimisticWrite)
            }
            return item
          case .refused(let item?):
            // KeePassXC did not know the session, and has created an item nevertheless.
            try await connection().markDead()
            try await setAttributes(stored, of: item)
            try await setSecret(secret, of: item, during: optimisticWrite)
            return item
          case .done(nil), .refused(nil):
            throw SecretStoreError(.storageFailed, "The Secret Service refused to make an item.")
          }
        } catch let error as BusError where error.meaning == .noSession {
          guard let item = try await itemWithoutSecret(attributes, in: collection) else { continue }
          try await setSecret(secret, of: item, during: optimisticWrite)
          return item
        }
      }
      throw Self.losesSessions
    }
  }

  private func sendItem(
    to collection: ObjectPath, _ label: String, _ attributes: [String: String], _ secret: Secret,
    _ replaces: Bool, during optimisticWrite: OptimisticWrite?
  ) async throws -> PromptOutcome {
    let (item, prompt) = try await performOnce { handle in
      try await handle.call(
        .waited, path: collection, interface: "org.freedesktop.Secret.Collection", method: "CreateItem",
        arguments: {
          try optimisticWrite?.check()
          return [
            try .properties([
              ("org.freedesktop.Secret.Item.Label", .string(label)),
              ("org.freedesktop.Secret.Item.Attributes", .strings(attributes)),
            ]),
            try handle.encode(secret), try .boolean(replaces && handle.traits.replacesWithoutDialog),
          ]
        }, reply: "(oo)",
        read: { ($0.path(at: 0), $0.path(at: 1)) })
    }
    if let item, item != .none { return .done(item) }
    return try await makeItem(in: collection, by: prompt)
  }

  /// Returns an item without a secret, which KWallet creates when it does not know the session.
  private func itemWithoutSecret(
    _ attributes: [String: String], in collection: ObjectPath
  ) async throws -> ObjectPath? {
    guard try await traits().offersWalletInterface else { return nil }
    let items = try await search(attributes).unlocked.filter { $0.parent == collection }
    let secrets = try await secrets(of: items)
    return items.first { secrets[$0]?.isEmpty == true }
  }
}
