// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// The timeout of a prompt that completes without a dialog, which takes milliseconds.
  static let silentPromptLimit = Duration.seconds(2)

  /// Runs the prompt that creates an item.
  ///
  /// KeePassXC's prompt completes by itself in an open database. In a locked one it would ask for the password.
  ///
  /// - Throws: `groupLocked` when the prompt would show a dialog, or has shown one.
  func makeItem(in collection: ObjectPath, by prompt: ObjectPath?) async throws -> PromptOutcome {
    guard let prompt, prompt != .none else { return .refused(nil) }
    guard try await traits().mayPromptToCreate, try await isLocked(collection) == false else {
      throw Self.requiresDialog
    }
    do {
      // KeePassXC creates the item while the prompt runs. The time depends on the size of the item.
      let limit = max(Self.silentPromptLimit, Deadline.remaining - .seconds(1))
      return try await connection().run(prompt: prompt, limit: limit)
    } catch SecretStoreError.Code.timedOut {
      try await dismiss(prompt)
      throw Self.requiresDialog
    }
  }

  /// Dismisses a prompt to create, lock or delete something; never one to unlock.
  ///
  /// It has its own timeout, since the caller's deadline has often passed.
  func dismiss(_ prompt: ObjectPath) async throws {
    try await Task.detached { [self] in
      try await Deadline.run(within: Self.silentPromptLimit) {
        do {
          try await connection().dismiss(prompt: prompt)
        } catch let error as BusError where error.isItemError {}
      }
    }.value
  }
}
