// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// How long a prompt that completes by itself may take; it is milliseconds.
  static let silentPromptLimit = Duration.seconds(2)

  /// The item that was made, if need be by a prompt.
  ///
  /// KeePassXC's completes by itself in an open database; in a locked one it would ask for the password.
  ///
  /// - Throws: `groupLocked` when the prompt would open a dialog, or has; `storageFailed` when the item is refused.
  func itemMade(
    in collection: ObjectPath, _ item: ObjectPath?, _ prompt: ObjectPath?
  ) async throws -> ObjectPath {
    if let item, item != .none { return item }
    guard let prompt, prompt != .none else { throw BusError(domain: "secretstorecache", code: 1) }
    guard try await traits().mayPromptToCreate, try await isLocked(collection) == false else {
      throw Self.wantsDialog
    }
    do {
      switch try await connection().run(prompt: prompt, limit: Self.silentPromptLimit) {
      case .done(let item?) where item != .none: return item
      case .done, .refused:
        throw SecretStoreError(.storageFailed, "The Secret Service refused to make an item.")
      }
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
