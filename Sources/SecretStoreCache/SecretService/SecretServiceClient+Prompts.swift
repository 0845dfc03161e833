// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// How long a prompt that completes by itself may take; it is milliseconds.
  static let silentPromptLimit = Duration.seconds(2)

  /// Runs the prompt that makes an item.
  ///
  /// KeePassXC's completes by itself in an open database; in a locked one it would ask for the password.
  ///
  /// - Throws: `groupLocked` when the prompt would open a dialog, or has.
  func makeItem(in collection: ObjectPath, by prompt: ObjectPath?) async throws -> PromptOutcome {
    guard let prompt, prompt != .none else { return .refused(nil) }
    guard try await traits().mayPromptToCreate, try await isLocked(collection) == false else {
      throw Self.wantsDialog
    }
    do {
      // KeePassXC makes the item meanwhile, which takes as long as the item is large.
      let limit = max(Self.silentPromptLimit, Deadline.remaining - .seconds(1))
      return try await connection().run(prompt: prompt, limit: limit)
    } catch let error as SecretStoreError where error.code == .timedOut {
      try await dismiss(prompt)
      throw Self.wantsDialog
    }
  }

  /// Dismisses a prompt to make or delete an item; never one to unlock.
  func dismiss(_ prompt: ObjectPath) async throws {
    do {
      try await connection().dismiss(prompt: prompt)
    } catch let error as BusError where error.isAboutItems {}
  }
}
