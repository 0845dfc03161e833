// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Whether a group opens without a dialog, as every call of an app opens it.
struct GroupLockCheck: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  static let name = "group-lock"

  /// - Returns: The finding, and what there is of the group, once it is open.
  func find() async throws -> (Finding, GroupInventory?) {
    let finder = GroupFinder(client: client, group: group)
    let wasLocked = try await !client.search(finder.markerAttributes).locked.isEmpty
    let place: GroupLocation?
    do {
      place = try await finder.findWhole()
    } catch let error as SecretStoreError where error.code == .corruptItem {
      place = nil
    } catch let error as SecretStoreError where error.code == .groupLocked {
      return (
        .error(.groupLocked, error.detail, remedy: ToolCommand.on(group, "group unlock --prompt")), nil
      )
    } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
      return (.error(.groupUnrecoverable, error.detail, remedy: ToolCommand.on(group, "group reset")), nil)
    }
    if place == nil { try await openLeftovers(finder) }
    let inventory = try await GroupInventory.read(group, at: place, from: client)
    if inventory.isEmpty { return (.ok("There is no such group yet; the first sign-in makes it."), nil) }
    return (.ok(wasLocked ? "It was locked, and opened without a dialog." : "It is open."), inventory)
  }

  /// Opens the collections that the group's passwords are for, where no marker names them.
  private func openLeftovers(_ finder: GroupFinder) async throws {
    let keys = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group)).unlocked
    for key in keys {
      let attribute = try await client.attributes(of: key)[ItemAttributes.keyring]
      guard let collection = GnomeKeyringFile(attribute: attribute)?.collection,
        try await client.isLocked(collection) == true
      else { continue }
      try await finder.unlock(collection)
    }
  }
}
