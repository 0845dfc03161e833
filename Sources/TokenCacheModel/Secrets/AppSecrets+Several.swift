// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension AppSecrets {
  /// Stores several secrets, either all or none.
  ///
  /// No stored secret is replaced: one that is already stored must be equal to the new one. When one can't be stored,
  /// those before it are removed again, so the call can be repeated. If the process is killed meanwhile, some secrets
  /// stay stored, and the next call stores the others.
  ///
  /// - Parameters:
  ///   - secrets: The secrets; two with the same service and account are a conflict, even if they are equal.
  ///   - group: The group's name; `nil` for the app's default group.
  /// - Returns: The number of secrets that were not stored before.
  /// - Throws: `conflict` when two have the same service and account, or another secret is stored under these;
  ///   `invalidArgument`, `notEntitled`, `corruptItem` and whatever the back end throws, as
  ///   ``set(_:service:account:label:in:)`` does.
  @discardableResult
  public func set(_ secrets: [NewSecret], in group: String? = nil) async throws -> Int {
    let store = try target(group)
    var named: [SecretName: NewSecret] = [:]
    for new in secrets {
      let name = try Self.check(new)
      if named.updateValue(new, forKey: name) != nil {
        throw SecretStoreError(.conflict, "Two of the secrets have one service and account.")
      }
    }
    for (name, new) in named {
      _ = try Self.isStored(new, in: try await store.backend.record(for: name.record)?.document())
    }
    var written: [SecretName] = []
    do {
      for (name, new) in named where try await add(new, name, to: store) { written.append(name) }
    } catch {
      let failure = error
      // A new task undoes the writes even if this task was cancelled.
      let done = written
      await Task { for name in done { await removeAgain(named[name], name, from: store) } }.value
      throw failure
    }
    return written.count
  }

  private static func check(_ new: NewSecret) throws -> SecretName {
    try check(label: new.label)
    guard new.secret.count <= Secret.maximumBytes else {
      throw SecretStoreError(.invalidArgument, "A secret is larger than \(Secret.maximumBytes) bytes.")
    }
    return try SecretName(service: new.service, account: new.account)
  }

  /// Returns whether the secret is already stored.
  ///
  /// - Throws: `conflict` when another secret is stored in its place; `corruptItem` when the item holds none.
  private static func isStored(_ new: NewSecret, in stored: CacheDocument?) throws -> Bool {
    guard let stored else { return false }
    guard let secret = try SecretDocument(stored)?.secret() else {
      throw SecretStoreError(.corruptItem, "The stored item holds no secret.")
    }
    guard secret == new.secret else {
      throw SecretStoreError(
        .conflict, "Another secret is stored under the service and account of a new one.")
    }
    return true
  }

  /// Stores a secret unless it is already stored.
  ///
  /// - Returns: Whether it was stored now.
  private func add(_ new: NewSecret, _ name: SecretName, to store: Store) async throws -> Bool {
    let now = clock.now()
    return try await store.backend.update(name.record) { stored in
      if try Self.isStored(new, in: stored) { return false }
      var (document, content) = (CacheDocument(), SecretDocument(name, at: now))
      content.set(new.secret, label: new.label, at: now)
      content.write(to: &document)
      stored = document
      return true
    }
  }

  /// Removes a secret that was just stored, unless it has changed since.
  private func removeAgain(_ new: NewSecret?, _ name: SecretName, from store: Store) async {
    try? await store.backend.update(name.record) { stored in
      if try SecretDocument(stored)?.secret() == new?.secret { stored = nil }
    }
  }
}
