// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension AppSecrets {
  /// Stores several secrets, all of them or none.
  ///
  /// Nothing that is there is replaced: a secret that is stored already must be the same. When one can't be stored,
  /// those before it are taken out again, and so a call that failed can be made again. A process that is killed in
  /// the middle leaves a part, which the next call completes.
  ///
  /// - Parameters:
  ///   - secrets: The secrets; two of one service and account are a conflict, even when they are the same.
  ///   - group: The group's name; `nil` for the app's default group.
  /// - Returns: How many were not there before.
  /// - Throws: `conflict` when two have one name, or another secret is stored under it; `invalidArgument`,
  ///   `notEntitled`, `corruptItem` and whatever the back end throws as
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
      // The task may have been cancelled; what was begun is undone all the same.
      let done = written
      await Task { for name in done { await take(named[name], name, outOf: store) } }.value
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

  /// Whether the secret is there already.
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

  /// Stores a secret unless it is there.
  ///
  /// - Returns: Whether it was not.
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

  /// Takes out what was just stored, unless somebody has changed it since.
  private func take(_ new: NewSecret?, _ name: SecretName, outOf store: Store) async {
    try? await store.backend.update(name.record) { stored in
      if try SecretDocument(stored)?.secret() == new?.secret { stored = nil }
    }
  }
}
