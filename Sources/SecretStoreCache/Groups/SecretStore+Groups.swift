// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// Making, opening, locking and removing groups: for settings pages and tools. Apps need none of it, since a group is
/// made with the first save and opened without a word.
extension SecretStore {
  /// Makes a group, if there is none.
  ///
  /// With an `interaction` it can be made where that takes a dialog: after opening a locked keyring, in a new default
  /// keyring where there is none, and, with the placement ``GroupPlacement/dedicated``, in a collection that asks for a
  /// password of its own.
  ///
  /// - Throws: `groupLocked` when it would take a dialog and none is allowed, `promptDismissed` when the person closed
  ///   it, `timedOut` when nobody answered; `groupUnrecoverable`, `serviceUnavailable`, `storageFailed`.
  public func createGroup(_ group: AccessGroup, interaction: Interaction = .never) async throws {
    try await interactive(group, interaction) { client in
      try await GroupOpener(client: client, group: group, interaction: interaction).opening {
        _ = try await GroupMaker(
          client: client, group: group, policy: options.placement, interaction: interaction
        ).findOrMake()
      }
    }
  }

  /// Opens a group.
  ///
  /// Where its keyring is locked and a dialog is allowed, the person is asked for the password: on gnome-keyring of the
  /// login keyring, which opens every group and without which none is made, and of the group's own when a person chose
  /// that. Who closes the dialog of the login keyring has an open group all the same, if it is open.
  ///
  /// - Returns: Whether there is such a group.
  /// - Throws: As ``createGroup(_:interaction:)``.
  @discardableResult
  public func unlockGroup(_ group: AccessGroup, interaction: Interaction = .never) async throws -> Bool {
    try await interactive(group, interaction) { client in
      let opener = GroupOpener(client: client, group: group, interaction: interaction)
      try await opener.openLogin()
      return try await opener.opening {
        try await GroupFinder(client: client, group: group).findWhole() != nil
      }
    }
  }

  /// Moves a group that shares the default collection into one of its own.
  ///
  /// Apps go on using it meanwhile. A move that was cut short has lost nothing, and the next one goes on with it. Where
  /// runtime directories are not shared, as in some sandboxes, close the apps first: their writes are not waited for.
  ///
  /// - Returns: How many records were moved; none when the group has its own collection, or is not there.
  /// - Throws: `groupLocked` when the provider makes a collection only with a dialog and none is allowed; `timedOut` after
  ///   five minutes; and as ``createGroup(_:interaction:)``.
  @discardableResult
  public func moveGroup(_ group: AccessGroup, interaction: Interaction = .never) async throws -> Int {
    try await changing(group, within: .seconds(300) + (interaction.timeLimit ?? .zero)) { client in
      try await GroupOpener(client: client, group: group, interaction: interaction).opening {
        try await GroupMover(client: client, group: group, interaction: interaction).move()
      }
    }
  }

  /// Locks a group that has a collection of its own.
  ///
  /// The next call of an app opens it again without a word, as long as the login keyring is open.
  ///
  /// - Returns: Whether there is such a group.
  /// - Throws: `invalidArgument` when it shares the default collection, which other programs use.
  @discardableResult
  public func lockGroup(_ group: AccessGroup) async throws -> Bool {
    try await changing(group, within: options.timeout) { client in
      let finder = GroupFinder(client: client, group: group)
      let found = try await client.search(finder.markerAttributes)
      if found.unlocked.isEmpty && !found.locked.isEmpty { return true }
      guard let place = try await finder.find() else { return false }
      let isCommon = try await client.isCommon(place.collection)
      guard place.placement == .dedicated, !isCommon else {
        throw SecretStoreError(
          .invalidArgument,
          "The access group \(group) shares the default collection; lock that with the desktop's own tools.")
      }
      try await client.lock(place.collection, .never)
      return true
    }
  }

  /// Removes a group with all accounts, tokens and secrets in it, for every app.
  ///
  /// A keyring of its own goes with it, unless other programs have put something into it.
  ///
  /// - Returns: Whether there was such a group.
  /// - Throws: `groupLocked` when it is locked, or something that could hide it is, and no dialog is allowed; nothing was
  ///   removed then. And as ``createGroup(_:interaction:)``.
  @discardableResult
  public func deleteGroup(_ group: AccessGroup, interaction: Interaction = .never) async throws -> Bool {
    try await interactive(group, interaction) { client in
      try await GroupOpener(client: client, group: group, interaction: interaction).opening {
        try await GroupMaker.lock.run {
          try await GroupRemover(client: client, group: group, interaction: interaction).remove()
        }
      }
    }
  }

  /// Makes a group anew that nothing can open again; what was in it is lost already.
  ///
  /// Of a group in several keyrings, as other programs may leave it, those go that nothing can open and nobody else has
  /// something in.
  ///
  /// - Returns: Whether the group was made anew; `false` when only a part of it was lost, and the rest is as it was.
  /// - Throws: `invalidArgument` when the group is not `groupUnrecoverable`: then nothing was done.
  @discardableResult
  public func resetGroup(_ group: AccessGroup, interaction: Interaction = .never) async throws -> Bool {
    let isWhole = try await interactive(group, interaction) { client in
      try await GroupMaker.lock.run {
        let remover = GroupRemover(client: client, group: group, interaction: interaction)
        do {
          _ = try await GroupFinder(client: client, group: group).find()
        } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
          _ = try await remover.remove()
          return true
        }
        if try await remover.removeLost() { return false }
        throw SecretStoreError(
          .invalidArgument,
          "The access group \(group) can be opened, or is not there: there is nothing to reset.")
      }
    }
    if isWhole { try await createGroup(group, interaction: interaction) }
    return isWhole
  }

  private func interactive<Outcome>(
    _ group: AccessGroup, _ interaction: Interaction,
    _ body: (SecretServiceClient) async throws -> Outcome
  ) async throws -> Outcome {
    try await changing(group, within: options.timeout + (interaction.timeLimit ?? .zero), body)
  }

  /// Runs a change of a group, and says that what is known of it may not be true any more.
  func changing<Outcome>(
    _ group: AccessGroup, within limit: Duration, _ body: (SecretServiceClient) async throws -> Outcome
  ) async throws -> Outcome {
    try await guarded(within: limit) { client in
      // Also when nobody knows whether it was done.
      defer { try? VersionFile(of: group).renew() }
      return try await client.telling(changeOf: group) { try await body(client) }
    }
  }
}
