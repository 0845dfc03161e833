// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Opens a group: without a prompt where possible, otherwise with a prompt if the policy allows one.
struct GroupOpener: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  private(set) var promptPolicy: PromptPolicy

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// Runs `body`, and runs it again after unlocking each collection that may have prevented it.
  ///
  /// The user may know the password of a group that is `groupUnrecoverable`. If the user dismisses its prompt, that
  /// error is thrown.
  func opening<Outcome: Sendable>(_ body: () async throws -> Outcome) async throws -> Outcome {
    var obstacle: any Error
    do {
      return try await body()
    } catch {
      guard isOpened(error), promptPolicy.timeLimit != nil else { throw error }
      obstacle = error
    }
    for collection in try await lockedCollections() {
      do {
        try await client.unlock(collection, promptPolicy)
      } catch let error as SecretStoreError where error.code == .promptDismissed {
        throw Self.isUnrecoverable(obstacle) ? obstacle : error
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

  /// Returns whether unlocking a collection may resolve an error.
  private func isOpened(_ error: any Error) -> Bool { error.meansLocked || Self.isUnrecoverable(error) }

  private static func isUnrecoverable(_ error: any Error) -> Bool {
    (error as? SecretStoreError)?.code == .groupUnrecoverable
  }

  /// Opens gnome-keyring's login collection, if a prompt is allowed and the user agrees.
  ///
  /// Creating a group needs it, and so does opening one that is open now after the next login.
  ///
  /// A dialog that the user dismisses is not shown a second time by this opener.
  mutating func openLogin() async throws {
    guard promptPolicy.timeLimit != nil, try await client.traits().offersGnomeInterface,
      let login = try await client.collection(alias: "login")
    else { return }
    do {
      try await client.unlock(login, promptPolicy)
    } catch SecretStoreError.Code.promptDismissed {
      promptPolicy = promptPolicy.afterDismissal
    }
  }

  /// Returns the locked collections that may prevent a call, in the order in which to unlock them.
  ///
  /// On gnome-keyring: the login collection, which holds the passwords of all groups; another collection with the
  /// group's password; the collections with items of the group. Elsewhere: the collections with items of the group, and
  /// the one with the group's name. The default collection is the last one.
  func lockedCollections() async throws -> [ObjectPath] {
    let isGnome = try await client.traits().offersGnomeInterface
    let own = try await finder.lockedCollections()
    var wanted: [ObjectPath] = []
    if isGnome {
      wanted += [try await client.collection(alias: "login")].compactMap(\.self)
      wanted += try await finder.lockedPasswords() + own
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
