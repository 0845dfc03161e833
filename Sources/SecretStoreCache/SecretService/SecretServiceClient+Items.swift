// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// Replaces an item's secret.
  ///
  /// This is one write. It costs gnome-keyring half as much as a `CreateItem` that replaces the item.
  ///
  /// - Parameters:
  ///   - contentType: The type of the content. Libsecret finds a password only under `text/plain`.
  ///   - optimisticWrite: The write without a lock that this is a part of; `nil` for any other.
  /// - Throws: ``WriteConflict`` when it is too late for that write. Nothing was sent then.
  package func setSecret(
    _ secret: Secret, of item: ObjectPath, contentType: StaticString = ServiceHandle.ownContentType,
    during optimisticWrite: OptimisticWrite? = nil
  ) async throws {
    try await runUncancelled { [self] in
      for _ in 1...Self.sessionAttempts {
        do {
          try await send(secret, contentType, to: item, during: optimisticWrite)
          if try await isKept(secret, in: item) { return }
        } catch let error as BusError where error.meaning == .noSuchObject {
          // KWallet returns this error also when it can't decrypt the secret.
          if try await traits().keepsWhatItAccepts { throw error }
          guard try await exists(unlocked: item) else { throw error }
        }
        try await connection().markDead()
      }
      throw Self.losesSessions
    }
  }

  /// Runs a write to its end, even when its task is cancelled meanwhile.
  ///
  /// Where the provider does not keep everything it accepts, a write may take several calls.
  func runUncancelled<Output: Sendable>(
    _ write: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    try Task.checkCancellation()
    if try await traits().keepsWhatItAccepts { return try await write() }
    return try await Uncancelled.run(write)
  }

  private func send(
    _ secret: Secret, _ contentType: StaticString, to item: ObjectPath,
    during optimisticWrite: OptimisticWrite?
  ) async throws {
    try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.Secret.Item", method: "SetSecret",
        arguments: {
          try optimisticWrite?.check()
          return [try handle.encode(secret, contentType)]
        }, reply: "()", read: { _ in })
    }
  }

  /// Returns whether an accepted secret is stored.
  ///
  /// It is read back where the provider's acceptance can't be relied on.
  ///
  /// - Throws: `groupLocked` when the keyring was locked meanwhile.
  func isKept(_ secret: Secret, in item: ObjectPath) async throws -> Bool {
    if try await traits().keepsWhatItAccepts { return true }
    return try await secrets(of: [item])[item] == secret
  }

  /// Deletes an item.
  ///
  /// - Parameter optimisticWrite: The write without a lock that this is a part of; `nil` for any other.
  /// - Returns: `true` when it was deleted, `false` when the provider wants to prompt first; that prompt is
  ///   dismissed.
  /// - Throws: `groupLocked` when the keyring is locked and the provider may have dropped the deletion.
  ///   ``WriteConflict`` when it is too late for the optimistic write. Nothing was sent then.
  package func deleteItem(_ item: ObjectPath, during optimisticWrite: OptimisticWrite? = nil) async throws
    -> Bool
  {
    let prompt = try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.Secret.Item", method: "Delete",
        arguments: {
          try optimisticWrite?.check()
          return []
        }, reply: "(o)", read: { $0.path(at: 0) })
    }
    if let prompt, prompt != .none {
      try await dismiss(prompt)
      return false
    }
    if try await !traits().keepsWhatItAccepts, try await isLocked(item.parent) != false { throw Self.locked }
    return true
  }

  /// Returns an item's attributes.
  ///
  /// They are digests when their collection has not been unlocked since the daemon started.
  package func attributes(of item: ObjectPath) async throws -> [String: String] {
    try await property("Attributes", of: item, interface: "org.freedesktop.Secret.Item") { $0.pairs }
  }

  /// Returns the attributes of many items, of which at most 16 are requested at a time.
  ///
  /// Items that are gone are left out.
  package func attributes(of items: [ObjectPath]) async throws -> [ObjectPath: [String: String]] {
    var rest = items[...]
    var found: [ObjectPath: [String: String]] = [:]
    try await withThrowingTaskGroup(of: (ObjectPath, [String: String]?).self) { group in
      for item in rest.prefix(Self.concurrentRequests) {
        group.addTask { (item, try await self.ifExists { try await self.attributes(of: item) }) }
      }
      rest = rest.dropFirst(Self.concurrentRequests)
      while let (path, attributes) = try await group.next() {
        found[path] = attributes
        if let item = rest.popFirst() {
          group.addTask { (item, try await self.ifExists { try await self.attributes(of: item) }) }
        }
      }
    }
    return found
  }

  private static let concurrentRequests = 16

  /// Returns the label of an item that users see.
  func label(of item: ObjectPath) async throws -> String {
    try await property("Label", of: item, interface: "org.freedesktop.Secret.Item") { $0.text }
  }

  /// Returns the time of an item's last change by the daemon's clock, in whole seconds since 1970.
  ///
  /// It is 0 where the provider does not record it.
  package func modified(_ item: ObjectPath) async throws -> Int {
    try await property("Modified", of: item, interface: "org.freedesktop.Secret.Item") { $0.number }
  }

  /// Returns the time of an item's creation by the daemon's clock, in whole seconds since 1970.
  ///
  /// No program can choose it. It is 0 where the provider does not record it, as for a locked item of gnome-keyring,
  /// and for an item that is gone.
  func created(_ item: ObjectPath) async throws -> Int {
    try await ifExists {
      try await property("Created", of: item, interface: "org.freedesktop.Secret.Item") { $0.number }
    } ?? 0
  }

  /// Replaces an item's attributes.
  func setAttributes(_ attributes: [String: String], of item: ObjectPath) async throws {
    try await set("Attributes", of: item) { try .strings(attributes) }
  }

  /// Replaces an item's label.
  func setLabel(_ label: String, of item: ObjectPath) async throws {
    try await set("Label", of: item) { try .string(label) }
  }

  private func set(
    _ property: String, of item: ObjectPath, to value: @escaping @Sendable () throws -> Variant
  ) async throws {
    try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.DBus.Properties", method: "Set",
        arguments: {
          [try .string("org.freedesktop.Secret.Item"), try .string(property), try .boxed(value())]
        }, reply: "()", read: { _ in })
    }
  }

  static let losesSessions = SecretStoreError(
    .storageFailed, "The Secret Service does not keep what it accepts.")

  package static let locked = SecretStoreError(
    .groupLocked, "The keyring is locked, and silent calls never prompt.")

  package static let requiresDialog = SecretStoreError(
    .groupLocked, "The Secret Service wants to show a dialog, and silent calls never prompt.")
}
