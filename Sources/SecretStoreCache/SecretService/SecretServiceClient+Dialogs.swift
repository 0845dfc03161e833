// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Calls that may open a dialog, which the caller allowed.
extension SecretServiceClient {
  /// Opens a collection by asking for its password.
  ///
  /// One collection a call, and one call at a time on the desktop: two that unlock at once abort gnome-keyring. A dialog
  /// that is given up is left open, for the same reason; what a person enters there holds for the next call.
  ///
  /// - Throws: `promptDismissed` when the person closed the dialog, now or earlier in this process.
  func unlock(_ collection: ObjectPath, _ interaction: Interaction) async throws {
    try await Self.unlocking.run {
      if try await isLocked(collection) == false { return }
      try await asking(.unlock(collection), interaction) {
        let prompt = try await perform { handle in
          try await handle.call(
            .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "Unlock",
            arguments: { [.paths([collection])] }, reply: "(aoo)", read: { $0.path(at: 1) })
        }
        if let prompt, prompt != .none { _ = try await run(prompt, interaction) }
        // gnome-keyring calls a prompt dismissed that has unlocked something.
        return try await isLocked(collection) == false
      }
    }
  }

  /// Makes a collection the standard way, which asks for its password.
  ///
  /// - Parameter isDefault: Whether it becomes the default one; there must be none.
  func createCollection(
    label: String, isDefault: Bool, _ interaction: Interaction
  ) async throws -> ObjectPath {
    var made: ObjectPath?
    try await asking(.create(label), interaction) {
      let (collection, prompt) = try await perform { handle in
        try await handle.call(
          .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "CreateCollection",
          arguments: {
            [
              .properties([("org.freedesktop.Secret.Collection.Label", .string(label))]),
              .string(isDefault ? "default" : ""),
            ]
          }, reply: "(oo)", read: { ($0.path(at: 0), $0.path(at: 1)) })
      }
      made = collection
      if let prompt, prompt != .none, case .done(let path) = try await runDismissible(prompt, interaction) {
        made = path
      }
      return made != nil && made != ObjectPath.none
    }
    guard let made else { throw BusError.malformed }
    return made
  }

  /// Locks a collection.
  func lock(_ collection: ObjectPath, _ interaction: Interaction) async throws {
    let (locked, prompt) = try await perform { handle in
      try await handle.call(
        .waited, path: .service, interface: "org.freedesktop.Secret.Service", method: "Lock",
        arguments: { [.paths([collection])] }, reply: "(aoo)", read: { ($0.paths(at: 0), $0.path(at: 1)) })
    }
    // An app may have opened it again before it is asked for.
    if locked?.contains(collection) == true { return }
    if let prompt, prompt != .none { _ = try await runDismissible(prompt, interaction) }
    guard try await isLocked(collection) == true else {
      throw SecretStoreError(.storageFailed, "The Secret Service did not lock the collection.")
    }
  }

  /// Deletes a collection with all that is in it, locked or not.
  func deleteCollection(_ collection: ObjectPath, _ interaction: Interaction) async throws {
    try await asking(.delete(collection), interaction) {
      let prompt = try await perform { handle in
        try await handle.call(
          .waited, path: collection, interface: "org.freedesktop.Secret.Collection", method: "Delete",
          arguments: { [] }, reply: "(o)", read: { $0.path(at: 0) })
      }
      if let prompt, prompt != .none { _ = try await runDismissible(prompt, interaction) }
      return try await isLocked(collection) == nil
    }
  }

  // MARK: Asking

  /// Runs a request that a person may refuse, and remembers the refusal.
  private func asking(
    _ request: PromptRequest, _ interaction: Interaction, _ body: () async throws -> Bool
  ) async throws {
    if !interaction.again, refusals.withLock({ $0.contains(request) }) { throw Self.dismissed }
    if try await body() {
      refusals.withLock { _ = $0.remove(request) }
    } else {
      guard interaction.timeLimit != nil else { throw Self.wantsDialog }
      refusals.withLock { _ = $0.insert(request) }
      throw Self.dismissed
    }
  }

  /// Runs a prompt; one that needs a person is left alone when nobody is to be asked.
  private func run(_ prompt: ObjectPath, _ interaction: Interaction) async throws -> PromptOutcome {
    guard let limit = interaction.timeLimit else { return .refused(nil) }
    return try await connection().run(prompt: prompt, window: interaction.parentWindow, limit: limit)
  }

  /// Runs a prompt that may be dismissed when it is given up: to make, lock or delete something.
  private func runDismissible(
    _ prompt: ObjectPath, _ interaction: Interaction
  ) async throws -> PromptOutcome {
    do {
      return try await connection().run(
        prompt: prompt, window: interaction.parentWindow,
        limit: interaction.timeLimit ?? Self.silentPromptLimit)
    } catch {
      try? await dismiss(prompt)
      if interaction.timeLimit == nil, (error as? SecretStoreError)?.code == .timedOut {
        return .refused(nil)
      }
      throw error
    }
  }

  private static let dismissed = SecretStoreError(
    .promptDismissed, "The dialog of the Secret Service was closed without an answer.")
}
