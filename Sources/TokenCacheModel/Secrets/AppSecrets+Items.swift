// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Secrets by their items, as ``AppSecrets/list(service:from:)`` returns them.
extension AppSecrets {
  /// Reads the secret of an item in the item's group.
  ///
  /// - Returns: The secret, or `nil` when it was removed meanwhile.
  /// - Throws: As ``get(service:account:from:)``.
  public func get(_ item: SecretItem) async throws -> Secret? {
    try await get(service: item.service, account: item.account, from: groupName(of: item))
  }

  /// Removes the secret of an item from the item's group, and from no other.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``remove(service:account:from:)``.
  @discardableResult
  public func remove(_ item: SecretItem) async throws -> Bool {
    try await remove(service: item.service, account: item.account, from: groupName(of: item))
  }

  /// Returns the name of an item's group, if these secrets have the group.
  ///
  /// Another publisher may have a group of the same name.
  private func groupName(of item: SecretItem) throws -> String {
    guard try target(item.group.name).group == item.group else {
      throw SecretStoreError(.notEntitled, "The secret is in the group \(item.group), which was not opened.")
    }
    return item.group.name
  }
}
