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

  /// Dismisses a prompt to make, lock or delete something; never one to unlock.
  ///
  /// It has time of its own: the caller's is over, mostly.
  func dismiss(_ prompt: ObjectPath) async throws {
    try await Task.detached { [self] in
      try await Deadline.run(within: Self.silentPromptLimit) {
        do {
          try await connection().dismiss(prompt: prompt)
        } catch let error as BusError where error.isAboutItems {}
      }
    }.value
  }
}
