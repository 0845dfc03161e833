// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Calls that may show a prompt. The caller's prompt policy has to allow it.
extension SecretServiceClient {
  /// Unlocks a collection with a prompt for its password.
  ///
  /// Each call unlocks one collection, and one call runs at a time across processes (``unlocking``): two unlocks at
  /// once abort gnome-keyring. For the same reason the prompt is not dismissed at a timeout. A password that the user
  /// enters there later still unlocks the collection.
  ///
  /// - Throws: `promptDismissed` when the user dismissed the prompt, now or earlier in this process. `groupLocked`
  ///   when the prompt policy allows no prompt, or the process has no display to show it on.
  func unlock(_ collection: ObjectPath, _ promptPolicy: PromptPolicy) async throws {
    try await Self.unlocking.run {
      if try await isLocked(collection) == false { return }
      try await asking(.unlock(collection), promptPolicy) {
        if let prompt = try await requestUnlock(of: collection) { _ = try await run(prompt, promptPolicy) }
        // gnome-keyring may report a prompt as dismissed although it has unlocked something.
        return try await isLocked(collection) == false
      }
    }
  }

  /// Creates a collection with the standard method, which prompts for its password.
  ///
  /// - Parameter isDefault: Whether it becomes the default collection; there must not be one yet.
  func createCollection(
    label: String, isDefault: Bool, _ promptPolicy: PromptPolicy
  ) async throws -> ObjectPath {
    var made: ObjectPath?
    try await asking(.create(label), promptPolicy) {
      let (collection, prompt) = try await perform { handle in
        try await handle.call(
          .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "CreateCollection",
          arguments: {
            [
              try .properties([("org.freedesktop.Secret.Collection.Label", .string(label))]),
              try .string(isDefault ? "default" : ""),
            ]
          }, reply: "(oo)", read: { ($0.path(at: 0), $0.path(at: 1)) })
      }
      made = collection
      if let prompt, prompt != .none, case .done(let path) = try await runDismissible(prompt, promptPolicy) {
        guard let path else { throw BusError.malformed }
        made = path
      }
      return made != nil && made != ObjectPath.none
    }
    guard let made else { throw BusError.malformed }
    return made
  }

  /// Locks a collection.
  ///
  /// - Throws: `storageFailed` when the collection is not locked afterwards.
  package func lock(_ collection: ObjectPath, _ promptPolicy: PromptPolicy) async throws {
    let (locked, prompt) = try await perform { handle in
      try await handle.call(
        .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "Lock",
        arguments: { [try .paths([collection])] }, reply: "(aoo)", read: { ($0.paths(at: 0), $0.path(at: 1)) }
      )
    }
    // Don't read the property here: another app may have unlocked the collection again.
    if locked?.contains(collection) == true { return }
    if let prompt, prompt != .none { _ = try await runDismissible(prompt, promptPolicy) }
    guard try await isLocked(collection) == true else {
      throw SecretStoreError(.storageFailed, "The Secret Service did not lock the collection.")
    }
  }

  /// Deletes a collection with all its items, whether it is locked or not.
  package func deleteCollection(_ collection: ObjectPath, _ promptPolicy: PromptPolicy) async throws {
    try await asking(.delete(collection), promptPolicy) {
      let prompt = try await perform { handle in
        try await handle.call(
          .waited, path: collection, interface: "org.freedesktop.Secret.Collection", method: "Delete",
          arguments: { [] }, reply: "(o)", read: { $0.path(at: 0) })
      }
      if let prompt, prompt != .none { _ = try await runDismissible(prompt, promptPolicy) }
      return try await isLocked(collection) == nil
    }
  }

  // MARK: Prompts

  /// Runs a request that the user may refuse, and remembers a refusal for the process.
  ///
  /// - Parameter body: Runs the request, and returns whether it was carried out.
  /// - Throws: `promptDismissed` when it was not. `groupLocked` when the prompt policy allows no prompt, or the process
  ///   has no display.
  private func asking(
    _ request: PromptRequest, _ promptPolicy: PromptPolicy, _ body: () async throws -> Bool
  ) async throws {
    if !promptPolicy.again, refusals.withLock({ $0.contains(request) }) { throw Self.dismissed }
    if try await body() {
      refusals.withLock { _ = $0.remove(request) }
    } else {
      guard promptPolicy.timeLimit != nil else { throw Self.requiresDialog }
      // Otherwise the user can't have seen a prompt that was dismissed.
      guard SessionDisplay.answers() else { throw Self.hiddenDialog }
      refusals.withLock { _ = $0.insert(request) }
      throw Self.dismissed
    }
  }

  /// Runs a prompt; returns `.refused` without running it when the prompt policy allows none.
  private func run(_ prompt: ObjectPath, _ promptPolicy: PromptPolicy) async throws -> PromptOutcome {
    guard let limit = promptPolicy.timeLimit else { return .refused(nil) }
    return try await connection().run(prompt: prompt, window: promptPolicy.parentWindow, limit: limit)
  }

  /// Runs a prompt to create, lock or delete something; such a prompt may be dismissed when the call ends early.
  private func runDismissible(
    _ prompt: ObjectPath, _ promptPolicy: PromptPolicy
  ) async throws -> PromptOutcome {
    do {
      return try await connection().run(
        prompt: prompt, window: promptPolicy.parentWindow,
        limit: promptPolicy.timeLimit ?? Self.silentPromptLimit)
    } catch {
      try? await dismiss(prompt)
      if promptPolicy.timeLimit == nil, (error as? SecretStoreError)?.code == .timedOut {
        return .refused(nil)
      }
      throw error
    }
  }

  private static let hiddenDialog = SecretStoreError(
    .groupLocked, "The Secret Service could not show its dialog: the process has no display.")

  private static let dismissed = SecretStoreError(
    .promptDismissed, "The dialog of the Secret Service was closed without a reply.")
}

/// A request that a Secret Service prompt asks the user to confirm.
enum PromptRequest: Hashable, Sendable {
  case unlock(ObjectPath)
  case create(String)
  case delete(ObjectPath)
}
