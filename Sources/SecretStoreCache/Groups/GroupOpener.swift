// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Opens what a group is in: silently where that is possible, else by the dialog that the caller allows.
struct GroupOpener: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let interaction: Interaction

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// Runs `body`, and again after each collection that was in its way has been opened.
  func opening<Outcome: Sendable>(_ body: () async throws -> Outcome) async throws -> Outcome {
    do {
      return try await body()
    } catch {
      guard error.meansLocked, interaction.timeLimit != nil else { throw error }
      for collection in try await lockedCollections() {
        try await client.unlock(collection, interaction)
        do {
          return try await body()
        } catch {
          guard error.meansLocked else { throw error }
        }
      }
      throw error
    }
  }

  /// What may be in the way, in the order in which it is opened: on gnome-keyring the login collection, which has the
  /// passwords of all groups; elsewhere the collection of the group's marker, the one that bears its name, and the
  /// default one.
  private func lockedCollections() async throws -> [ObjectPath] {
    let isGnome = try await client.traits().offersGnomeInterface
    var wanted: [ObjectPath] = []
    if isGnome {
      wanted += [try await client.collection(alias: "login")].compactMap(\.self)
    } else {
      wanted += try await client.search(finder.markerAttributes).locked.map(\.parent)
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
