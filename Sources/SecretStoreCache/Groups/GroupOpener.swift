// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Opens what a group is in: silently where that is possible, else by the dialog that the caller allows.
struct GroupOpener: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let interaction: Interaction

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// Runs `body`, and again after each collection that was in its way has been opened.
  ///
  /// A group that is lost for good may still have a password that a person chose; when that person closes the dialog,
  /// it is lost.
  func opening<Outcome: Sendable>(_ body: () async throws -> Outcome) async throws -> Outcome {
    var obstacle: any Error
    do {
      return try await body()
    } catch {
      guard isOpened(error), interaction.timeLimit != nil else { throw error }
      obstacle = error
    }
    for collection in try await lockedCollections() {
      do {
        try await client.unlock(collection, interaction)
      } catch let error as SecretStoreError where error.code == .promptDismissed {
        throw Self.isLost(obstacle) ? obstacle : error
      }
      do {
        return try await body()
      } catch {
        guard isOpened(error) else { throw error }
        obstacle = error
      }
    }
    throw obstacle
  }

  /// Whether what failed can be opened by a password.
  private func isOpened(_ error: any Error) -> Bool { error.meansLocked || Self.isLost(error) }

  private static func isLost(_ error: any Error) -> Bool {
    (error as? SecretStoreError)?.code == .groupUnrecoverable
  }

  /// Opens gnome-keyring's login collection, if a dialog is allowed and the person agrees: the groups that are open now
  /// need it with the next login, and those that are not there yet to be made.
  func openLogin() async throws {
    guard interaction.timeLimit != nil, try await client.traits().offersGnomeInterface,
      let login = try await client.collection(alias: "login")
    else { return }
    do {
      try await client.unlock(login, interaction)
    } catch let error as SecretStoreError where error.code == .promptDismissed {}
  }

  /// What may be in the way, in the order in which it is opened: on gnome-keyring the login collection, which has the
  /// passwords of all groups, and the collections that hold something of the group; elsewhere those and the one that bears
  /// the group's name; the default one.
  private func lockedCollections() async throws -> [ObjectPath] {
    let isGnome = try await client.traits().offersGnomeInterface
    let own = try await finder.lockedCollections()
    var wanted: [ObjectPath] = []
    if isGnome {
      wanted += [try await client.collection(alias: "login")].compactMap(\.self) + own
    } else {
      wanted += own
      for collection in try await client.collections()
      where try await client.label(ofCollection: collection) == group.name { wanted.append(collection) }
    }
    wanted += [try await client.collection(alias: "default")].compactMap(\.self)
    var locked: [ObjectPath] = []
    for collection in wanted where !locked.contains(collection) {
      if try await client.isLocked(collection) == true { locked.append(collection) }
    }
    return locked
  }
}
