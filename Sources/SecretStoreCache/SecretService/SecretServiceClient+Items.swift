// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel
import TokenCacheModel

extension SecretServiceClient {
  /// Changes an item's secret.
  ///
  /// One write, which costs gnome-keyring half of a replace.
  func setSecret(_ secret: Secret, of item: ObjectPath) async throws {
    try await toItsEnd { [self] in
      for _ in 1...Self.sessionAttempts {
        do {
          try await send(secret, to: item)
          if try await isKept(secret, in: item) { return }
        } catch let error as BusError where error.meaning == .noSuchObject {
          // So says KWallet, too, when it makes nothing of the secret.
          if try await traits().keepsWhatItAccepts { throw error }
          guard try await exists(unlocked: item) else { throw error }
        }
        try await connection().markDead()
      }
      throw Self.losesSessions
    }
  }

  /// Runs a write to its end, also when its task is cancelled meanwhile: it may be of several calls where the provider
  /// does not keep what it accepts.
  func toItsEnd<Output: Sendable>(
    _ write: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    try Task.checkCancellation()
    if try await traits().keepsWhatItAccepts { return try await write() }
    return try await Task { try await write() }.value
  }

  private func send(_ secret: Secret, to item: ObjectPath) async throws {
    let window = WriteWindow.current
    try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.Secret.Item", method: "SetSecret",
        arguments: {
          try window?.check()
          return [handle.encode(secret)]
        }, reply: "()", read: { _ in })
    }
  }

  /// Whether a secret that was accepted is stored: read back where the provider can't be trusted with that.
  ///
  /// - Throws: `groupLocked` when the keyring was locked meanwhile.
  func isKept(_ secret: Secret, in item: ObjectPath) async throws -> Bool {
    if try await traits().keepsWhatItAccepts { return true }
    return try await secrets(of: [item])[item] == secret
  }

  /// Deletes an item.
  ///
  /// - Returns: Whether it was; a provider that wants to ask first deletes nothing.
  func deleteItem(_ item: ObjectPath) async throws -> Bool {
    let window = WriteWindow.current
    let prompt = try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.Secret.Item", method: "Delete",
        arguments: {
          try window?.check()
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

  /// An item's attributes.
  ///
  /// Those of a collection that was locked since the daemon started are digests.
  func attributes(of item: ObjectPath) async throws -> [String: String] {
    try await property("Attributes", of: item, interface: "org.freedesktop.Secret.Item") { $0.pairs }
  }

  /// The attributes of many items, several of them asked for at a time.
  func attributes(of items: [ObjectPath]) async throws -> [ObjectPath: [String: String]] {
    var rest = items[...]
    var found: [ObjectPath: [String: String]] = [:]
    try await withThrowingTaskGroup(of: (ObjectPath, [String: String]).self) { group in
      for item in rest.prefix(Self.askedAtATime) {
        group.addTask { (item, try await self.attributes(of: item)) }
      }
      rest = rest.dropFirst(Self.askedAtATime)
      while let (path, attributes) = try await group.next() {
        found[path] = attributes
        if let item = rest.popFirst() { group.addTask { (item, try await self.attributes(of: item)) } }
      }
    }
    return found
  }

  private static let askedAtATime = 16

  /// What a person reads of an item.
  func label(of item: ObjectPath) async throws -> String {
    try await property("Label", of: item, interface: "org.freedesktop.Secret.Item") { $0.text }
  }

  /// When an item was changed last, by the daemon's clock, in whole seconds since 1970; 0 where it does not say.
  func modified(_ item: ObjectPath) async throws -> Int {
    try await property("Modified", of: item, interface: "org.freedesktop.Secret.Item") { $0.number }
  }

  /// Changes an item's attributes.
  func setAttributes(_ attributes: [String: String], of item: ObjectPath) async throws {
    try await set("Attributes", of: item) { .strings(attributes) }
  }

  /// Changes an item's label.
  func setLabel(_ label: String, of item: ObjectPath) async throws {
    try await set("Label", of: item) { .string(label) }
  }

  private func set(
    _ property: String, of item: ObjectPath, to value: @escaping @Sendable () -> Variant
  ) async throws {
    try await perform { handle in
      try await handle.call(
        .waited, path: item, interface: "org.freedesktop.DBus.Properties", method: "Set",
        arguments: {
          [.string("org.freedesktop.Secret.Item"), .string(property), .boxed(value())]
        }, reply: "()", read: { _ in })
    }
  }

  static let losesSessions = SecretStoreError(
    .storageFailed, "The Secret Service does not keep what it accepts.")

  static let locked = SecretStoreError(
    .groupLocked, "The keyring is locked, and silent calls never prompt.")

  static let wantsDialog = SecretStoreError(
    .groupLocked, "The Secret Service wants to show a dialog, and silent calls never prompt.")
}
