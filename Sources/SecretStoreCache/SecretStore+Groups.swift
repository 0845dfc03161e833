// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// Creating, opening, locking, moving and removing groups, for settings pages and tools.
///
/// Apps need none of it: the first save creates a group, and calls open it without a prompt.
extension SecretStore {
  /// Creates a group, if there is none.
  ///
  /// With a `promptPolicy` that allows a prompt, the call can also unlock a locked keyring, create a missing default
  /// keyring, and, with the placement ``GroupPlacement/dedicated``, create a collection whose password the user
  /// chooses.
  ///
  /// - Returns: Whether this call has created it.
  /// - Throws: `groupLocked` when a prompt is needed and none is allowed or can be shown; `promptDismissed` when the
  ///   user dismissed it; `timedOut` when nobody answered it; `lockTimedOut` when another app held the lock or the
  ///   group creation lease until the deadline; `corruptItem` when the group's markers contradict each other;
  ///   `groupUnrecoverable`, `serviceUnavailable`, `storageFailed`.
  @discardableResult
  public func createGroup(_ group: AccessGroup, promptPolicy: PromptPolicy = .never) async throws -> Bool {
    try await interactive(group, promptPolicy) { client in
      try await GroupOpener(client: client, group: group, promptPolicy: promptPolicy).opening {
        try await GroupCreator(
          client: client, group: group, policy: options.placement, promptPolicy: promptPolicy
        ).findOrMake().isNew
      }
    }
  }

  /// Opens a group.
  ///
  /// If its keyring is locked and a prompt is allowed, the user is asked for the password. On gnome-keyring that is the
  /// password of the login keyring, which opens every group and is needed to create one, and the group's own password
  /// if the user chose it. If the user dismisses the prompt for the login keyring, the call still succeeds for a group
  /// that is open.
  ///
  /// - Returns: Whether there is such a group.
  /// - Throws: As ``createGroup(_:promptPolicy:)``.
  @discardableResult
  public func unlockGroup(_ group: AccessGroup, promptPolicy: PromptPolicy = .never) async throws -> Bool {
    try await interactive(group, promptPolicy) { client in
      var opener = GroupOpener(client: client, group: group, promptPolicy: promptPolicy)
      try await opener.openLogin()
      return try await opener.opening {
        let finder = GroupFinder(client: client, group: group)
        if try await finder.openWhole().isGroup { return true }
        return try await finder.unmarkedKeyring() != nil
      }
    }
  }

  /// Opens the keyring that groups need: on gnome-keyring the login keyring, which opens every group, elsewhere the
  /// default keyring.
  ///
  /// If gnome-keyring has no login keyring, for example because somebody deleted it, a prompt asks for the password of
  /// a new one. The next login opens it only if that password is the login password.
  ///
  /// - Throws: As ``createGroup(_:promptPolicy:)``; `serviceUnavailable` when there is no such keyring and no prompt is
  ///   allowed.
  public func unlockKeyring(promptPolicy: PromptPolicy = .never) async throws {
    try await guarded(within: options.timeout + (promptPolicy.timeLimit ?? .zero)) { client in
      let isGnome = try await client.traits().offersGnomeInterface
      let alias = isGnome ? "login" : "default"
      if isGnome, promptPolicy.timeLimit != nil, try await client.collection(alias: alias) == nil {
        _ = try await client.createCollection(label: alias, isDefault: false, promptPolicy)
        return
      }
      guard let keyring = try await client.collection(alias: alias),
        let isLocked = try await client.isLocked(keyring)
      else { throw SecretStoreError(.serviceUnavailable, "There is no \(alias) keyring.") }
      if !isLocked { return }
      guard promptPolicy.timeLimit != nil else {
        throw SecretStoreError(.groupLocked, "The \(alias) keyring is locked, and silent calls never prompt.")
      }
      try await client.unlock(keyring, promptPolicy)
    }
  }

  /// Moves a group from the default collection into a dedicated one.
  ///
  /// Apps can use the group meanwhile. An interrupted move loses nothing, and the next one continues it. Where runtime
  /// directories are not shared, as in some sandboxes, close the apps first: the move does not wait for their writes.
  /// A cancelled move ends at a whole record.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - promptPolicy: Whether the provider may ask before it creates the collection.
  ///   - progress: Receives the number of records that are moved, and of those that were found so far.
  /// - Returns: The number of records moved; zero when the group already has a dedicated collection, or does not exist.
  /// - Throws: `lockTimedOut` and the like when a record could not be moved, which the error names: all others are
  ///   moved, and the next move goes on. `groupLocked` when the provider creates a collection only with a prompt and
  ///   none is allowed; `timedOut` when no record is moved for a minute, plus the prompt's time limit; and as
  ///   ``createGroup(_:promptPolicy:)``.
  @discardableResult
  public func moveGroup(
    _ group: AccessGroup, promptPolicy: PromptPolicy = .never,
    progress: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws -> Int {
    try await changing(group, within: .seconds(60) + (promptPolicy.timeLimit ?? .zero)) { client in
      try await GroupOpener(client: client, group: group, promptPolicy: promptPolicy).opening {
        try await GroupMover(client: client, group: group, promptPolicy: promptPolicy, progress: progress)
          .move()
      }
    }
  }

  /// Locks a group that has a dedicated collection.
  ///
  /// The next call of an app opens it again without a prompt, as long as the login keyring is open.
  ///
  /// - Returns: Whether there is such a group.
  /// - Throws: `invalidArgument` when it shares the default collection, which other programs use; and as
  ///   ``createGroup(_:promptPolicy:)``.
  @discardableResult
  public func lockGroup(_ group: AccessGroup) async throws -> Bool {
    try await changing(group, within: options.timeout) { client in
      let finder = GroupFinder(client: client, group: group)
      let found = try await client.search(finder.markerAttributes)
      if found.unlocked.isEmpty {
        for collection in Set(found.locked.map(\.parent)) where try await finder.mayBelongToGroup(collection)
        {
          return true
        }
      }
      let claims = try await finder.claims()
      let location = try await finder.provenLocation(of: claims)
      var own = location?.collection ?? claims.unreadable.first
      if own == nil { own = try await finder.unmarkedKeyring() }
      guard let collection = own else { return false }
      let isCommon = try await client.isCommon(collection)
      guard location?.placement != .shared, !isCommon else {
        throw SecretStoreError(
          .invalidArgument,
          "The access group \(group) shares the default collection; lock that with the desktop's own tools.")
      }
      try await client.lock(collection, .never)
      return true
    }
  }

  /// Returns what a removal or a reset of a group removes and what it leaves, so that an app can ask the user first.
  ///
  /// It opens nothing.
  ///
  /// - Throws: `serviceUnavailable`, `timedOut`.
  public func removal(of group: AccessGroup) async throws -> GroupSummary.Removal {
    try await guarded { client in
      try await GroupHoldings(client: client, group: group).removal()
    }
  }

  /// Removes a group with all accounts, tokens and secrets in it, for every app.
  ///
  /// A dedicated collection is removed with it, unless it holds items of others or does not have the group's name; see
  /// ``removal(of:)``.
  ///
  /// - Returns: Whether anything of the group was there, even without a marker.
  /// - Throws: `groupLocked` when the group, or a collection that could hide it, is locked and no prompt is allowed.
  ///   Nothing was removed then, except when the locked items are in a collection that stays: then the rest of the
  ///   group was removed. `storageFailed` when the file of a keyring that can't be opened can't be kept, and then
  ///   nothing was removed; also when items of the group are found again and again, as when others keep storing them.
  ///   Otherwise as ``createGroup(_:promptPolicy:)``. After `timedOut` a part may have been removed: call it again. The
  ///   detail says how many items are left, where that is known.
  @discardableResult
  public func deleteGroup(_ group: AccessGroup, promptPolicy: PromptPolicy = .never) async throws -> Bool {
    try await deleteGroup(group, promptPolicy, maximumSearches: GroupRemover.maximumSearches)
  }

  /// As ``deleteGroup(_:promptPolicy:)``.
  func deleteGroup(
    _ group: AccessGroup, _ promptPolicy: PromptPolicy, maximumSearches: Int
  ) async throws -> Bool {
    // Each part has its own deadline: one call would be too short for many items.
    var existed = false
    var searches = 0
    var last: GroupRemover.Part?
    while true {
      let previous = last
      let part = try await naming(previous?.found, of: group) {
        try await interactive(group, promptPolicy) { client in
          try await GroupOpener(client: client, group: group, promptPolicy: promptPolicy).opening {
            try await GroupCreator.lock.run {
              try await GroupRemover(client: client, group: group, promptPolicy: promptPolicy)
                .removePart(after: previous)
            }
          }
        }
      }
      existed = existed || part.existed
      if part.isLast { return existed }
      if previous?.found.items.isEmpty != false { searches += 1 }
      if searches > maximumSearches {
        let left = part.found.sentence(of: group).map { " \($0)" } ?? ""
        throw SecretStoreError(
          .storageFailed,
          "More items of the access group \(group) were found after \(maximumSearches) searches.\(left)")
      }
      last = part
    }
  }

  /// Runs a part of a removal; an error for which it did not end says what is left.
  private func naming<Outcome>(
    _ found: GroupRemover.Found?, of group: AccessGroup, _ part: () async throws -> Outcome
  ) async throws -> Outcome {
    do {
      return try await part()
    } catch let error as SecretStoreError
      where [.timedOut, .lockTimedOut, .serviceUnavailable].contains(error.code)
    {
      guard let left = found?.sentence(of: group) else { throw error }
      throw SecretStoreError(error.code, "\(error.detail) \(left)", underlying: error.underlying)
    }
  }

  /// Creates a group again that can't be opened any more (`groupUnrecoverable`).
  ///
  /// The old content is lost, unless its password is found. gnome-keyring's file is kept under a name that ends in
  /// `.keyring.lost`, in the folder that the daemon uses, which need not be that of `XDG_DATA_HOME` here. A user who
  /// finds the password, for example in a backup of the login keyring, can put the file back.
  ///
  /// If other programs have spread the group over several collections, only those that can't be opened are removed. A
  /// collection stays if it holds items of others or does not have the group's name; see ``removal(of:)``.
  ///
  /// - Returns: Whether the group was created again; `false` when only a part of it was lost, and the rest is
  ///   unchanged.
  /// - Throws: `invalidArgument` when the group is not `groupUnrecoverable`; `groupUnrecoverable` when a collection
  ///   that can't be opened holds items of others; `storageFailed` when its file can't be kept, as in a sandbox that
  ///   doesn't show it. Nothing was done then. As ``createGroup(_:promptPolicy:)`` when the group was removed and could
  ///   not be created again, which the error says.
  @discardableResult
  public func resetGroup(_ group: AccessGroup, promptPolicy: PromptPolicy = .never) async throws -> Bool {
    let isWhole = try await interactive(group, promptPolicy) { client in
      try await GroupCreator.lock.run {
        var lost: (any Error)?
        do {
          _ = try await GroupFinder(client: client, group: group).claims()
        } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
          lost = error
        }
        let remover = GroupRemover(client: client, group: group, promptPolicy: promptPolicy)
        if try await remover.removeUnrecoverable() { return lost != nil }
        throw lost
          ?? SecretStoreError(
            .invalidArgument,
            "The access group \(group) can be opened, or is not there: there is nothing to reset.")
      }
    }
    guard isWhole else { return false }
    do {
      try await createGroup(group, promptPolicy: promptPolicy)
    } catch let error as SecretStoreError {
      throw SecretStoreError(
        error.code,
        "The locked keyrings of the access group \(group) were removed, and it could not be made anew; the next sign-in"
          + " makes it. \(error.detail)", underlying: error.underlying)
    }
    return true
  }

  private func interactive<Outcome>(
    _ group: AccessGroup, _ promptPolicy: PromptPolicy,
    _ body: (SecretServiceClient) async throws -> Outcome
  ) async throws -> Outcome {
    try await changing(group, within: options.timeout + (promptPolicy.timeLimit ?? .zero), body)
  }

  /// Runs a change of a group, then renews the group's version and notifies watchers.
  package func changing<Outcome>(
    _ group: AccessGroup, within limit: Duration, _ body: (SecretServiceClient) async throws -> Outcome
  ) async throws -> Outcome {
    try await guarded(within: limit) { client in
      // Renew it even when it is unknown whether the change was made.
      defer { try? VersionFile(of: group).renew() }
      return try await client.signalingChange(of: group) { try await body(client) }
    }
  }
}

extension SecretStore {
  /// Returns the files of the Secret Service if it is gnome-keyring.
  package func keyringFiles() async throws -> KeyringFiles {
    try await guarded { try await $0.keyringFiles }
  }
}
