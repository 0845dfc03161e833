// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import TokenCacheModel

extension GroupFinder {
  /// Unlocks the group as an app's calls do, without a prompt.
  ///
  /// - Returns: The group's location; `nil` when there is no such group, or its markers don't show where it is.
  /// - Throws: As ``openWhole()``.
  package func openLocation() async throws -> GroupLocation? {
    do {
      return try await provenLocation(of: try await openWhole())
    } catch SecretStoreError.Code.corruptItem {
      return nil
    }
  }

  /// Unlocks the collections that the group's stored passwords belong to when no marker names a collection.
  ///
  /// Any program can store a password's attributes and name its own keyring in them, so that one must have the group's
  /// name. A keyring of another publisher's group may have got the file's name.
  ///
  /// - Throws: The error of the first collection that stays locked, when none opens.
  package func openLeftovers() async throws {
    var (failure, isOpen): ((any Error)?, Bool) = (nil, false)
    let passwords = try await ownPasswords().values
    let others =
      passwords.isEmpty ? [] : try await GroupProof(client: client, group: group).collectionsMarkedByOthers()
    for attributes in passwords {
      guard let collection = GnomeKeyringFile(attribute: attributes[ItemAttributes.keyring])?.collection,
        !others.contains(collection), try await client.isLocked(collection) == true,
        try await hasGroupName(collection)
      else { continue }
      do {
        try await unlock(collection)
        isOpen = true
      } catch let error as SecretStoreError {
        failure = failure ?? error
      }
    }
    if let failure, !isOpen { throw failure }
  }

  /// Returns the group's passwords in the open login collection that are not other programs', with their attributes.
  ///
  /// - Parameter file: The keyring file that they name; `nil` for all passwords.
  func ownPasswords(naming file: GnomeKeyringFile? = nil) async throws -> [ObjectPath: [String: String]] {
    var attributes = ItemAttributes.all(Self.passwordKey, in: group)
    if let file { attributes[ItemAttributes.keyring] = file.attribute }
    guard let login = try await client.collection(alias: "login") else { return [:] }
    return try await client.ownItems(attributes, in: login)
  }

  /// Returns the path of a locked keyring of the group of which the login keyring has a password.
  ///
  /// After ``unlock(_:)``, that password does not open it.
  package func keyringBesidePassword() async throws -> String? {
    for collection in try await lockedCollections() {
      guard let file = GnomeKeyringFile(collection: collection) else { continue }
      let passwords = try await client.secrets(of: Array(ownPasswords(naming: file).keys))
      if passwords.values.contains(where: GroupCreator.hasForm(ofPassword:)) {
        return try await client.keyringFiles.path(of: file)
      }
    }
    return nil
  }

  /// Throws when the group's password does not open the keyring whose file it names, as after a wrong copy.
  ///
  /// That keyring has no marker, so that the group would seem absent. It may come back with its own file. A keyring
  /// with the group's name was made in the group's place after that one was deleted.
  func refuseOtherFiles() async throws {
    let files = try await client.keyringFiles
    let named = files.files(labelled: group.name)
    guard !named.isEmpty, try await client.traits().offersGnomeInterface else { return }
    do {
      try await openLeftovers()
    } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
      var hasOther = false
      for file in named.sorted(by: { $0.stem < $1.stem }) {
        guard let (collection, label) = try await lockedOther(file) else { continue }
        hasOther = true
        guard try await isLabel(label, ofOtherThan: collection) else { continue }
        throw KeyringDamage(path: files.path(of: file), kind: .copy(of: label))
          .error("the access group \(group) was in this file")
      }
      if hasOther { throw error }
    }
  }

  /// Returns the locked keyring of a file, and its label; `nil` when that is the group's name.
  private func lockedOther(_ file: GnomeKeyringFile) async throws -> (ObjectPath, label: String)? {
    guard let collection = file.collection, try await client.isLocked(collection) == true else { return nil }
    let label = try await client.label(ofCollection: collection)
    return label == group.name ? nil : (collection, label)
  }

  private func isLabel(_ label: String, ofOtherThan collection: ObjectPath) async throws -> Bool {
    for other in try await client.collections() where other != collection {
      if try await client.label(ofCollection: other) == label { return true }
    }
    return false
  }

  /// Returns whether a collection that stays locked is not needed, because the group's own one is open.
  ///
  /// One of the group's name is another program's when the group's password opens the own one, and none is left that
  /// could open the other. The login and the default collection have at most copies of a group with its own collection.
  func isBesideOwn(
    _ collection: ObjectPath, after error: any Error, _ claims: GroupClaims
  ) async throws -> Bool {
    let code = (error as? SecretStoreError)?.code
    let isCommon = try await client.isCommon(collection)
    guard code == (isCommon ? .groupLocked : .groupUnrecoverable) else { return false }
    let proof = GroupProof(client: client, group: group)
    do {
      guard let own = try await proof.provenLocation(of: claims), own.placement == .dedicated else {
        return false
      }
      if isCommon { return true }
      let daemon = try await client.connection().daemon
      let known = GroupCollection(collection: own.collection, group: group, daemon: daemon)
      if client.openedCollections.withLock({ $0.contains(known) }) { return true }
      guard try await proof.opensWithGroupPassword(own.collection) else { return false }
      // To try a password makes the daemon write the keyring's file.
      client.openedCollections.withLock { _ = $0.insert(known) }
      return true
    } catch let error as SecretStoreError where [.corruptItem, .groupLocked].contains(error.code) {
      return false
    }
  }

  /// Unlocks the group's collection with a password from the login collection.
  ///
  /// That is the password that the group was created with, or one that the user chose and gnome-keyring stored itself.
  /// The former also counts where its item has lost attributes.
  /// A collection without a password would accept it, and be encrypted with it from then on. It stays locked.
  ///
  /// - Throws: `groupLocked` when a prompt is needed, or the password may be in a locked collection;
  ///   `groupUnrecoverable` when no password is left to try; `storageFailed` when the login keyring's file is damaged,
  ///   or when the collection's own has appeared since the daemon started, which lists it and has no object for it.
  package func unlock(_ collection: ObjectPath) async throws {
    do {
      try await unlockListed(collection)
    } catch {
      throw try await notRead(collection) ?? error
    }
  }

  private func unlockListed(_ collection: ObjectPath) async throws {
    guard try await client.traits().offersGnomeInterface else { throw locked }
    let keys = try await client.search(ItemAttributes.all(Self.passwordKey, in: group))
    if try await !isPlain(collection) {
      if try await open(collection, with: keys.unlocked) { return }
      if let file = GnomeKeyringFile(collection: collection), try await mayHold(collection) {
        let remembered = try await client.rememberedPasswords(of: file, beside: group).unlocked
        if try await open(collection, with: remembered) { return }
        if try await open(collection, with: passwordsLackingAttributes()) { return }
      }
    }
    // A password inside the collection can't open it.
    let hasNoOther = keys.locked.allSatisfy { $0.parent == collection }
    guard hasNoOther, try await isUnrecoverable(collection) else { throw locked }
    let files = try await client.keyringFiles
    try files.refuseDamagedLogin()
    if let missed = try await files.missedLogin(client) {
      throw missed.error("the passwords of the access groups are in it")
    }
    if let plain = try await plainKeyring(collection) {
      throw SecretStoreError(
        .groupUnrecoverable,
        "The access group \(group) is in the keyring file \(plain.path), which is not encrypted, as with an empty"
          + " password: silent calls don't open it.",
        underlying: plain)
    }
    throw SecretStoreError(
      .groupUnrecoverable,
      "The access group \(group) is locked, and its password is gone from the login keyring or is refused: only a person"
        + " who knows the password can open it, or a backup of the login keyring.",
      underlying: try await unremovable(collection))
  }

  /// Returns a collection as a keyring that is not encrypted; `nil` when it is encrypted, or its file can't be read.
  package func plainKeyring(_ collection: ObjectPath) async throws -> PlainKeyring? {
    guard let file = GnomeKeyringFile(collection: collection), try await isPlain(collection) else {
      return nil
    }
    return PlainKeyring(group: group, path: try await client.keyringFiles.path(of: file))
  }

  /// Opens a locked keyring with the group's name and its items that is not encrypted, with an empty password, so that
  /// it stays so.
  ///
  /// Only a repair of that keyring that a person has asked for may do so: any program can write such a keyring.
  package func open(_ keyring: PlainKeyring) async throws {
    for collection in try await lockedCollections() where try await hasGroupName(collection) {
      guard try await plainKeyring(collection) == keyring else { continue }
      try await reopen(collection)
    }
  }

  /// Opens a keyring that is not encrypted.
  package func reopen(_ collection: ObjectPath) async throws {
    _ = try await client.unlock(collection, password: Secret([]))
  }

  /// Returns whether a collection may hold the group's items by its name, or because it is the login or the default
  /// one.
  private func mayHold(_ collection: ObjectPath) async throws -> Bool {
    if try await hasGroupName(collection) { return true }
    return try await client.isCommon(collection)
  }

  /// Returns what a reset can't do for a collection that can't be opened; `nil` when it removes the collection.
  func unremovable(_ collection: ObjectPath) async throws -> UnremovableKeyring? {
    let holdings = GroupHoldings(client: client, group: group)
    let items = try await holdings.ownItems()
    if try await holdings.isRemovable(collection, with: items) { return nil }
    let files = try await client.keyringFiles
    let file = GnomeKeyringFile(collection: collection).flatMap {
      files.exists($0) ? files.path(of: $0) : nil
    }
    return UnremovableKeyring(
      group: group, label: try await client.label(ofCollection: collection), file: file, files: files)
  }

  /// Tries the passwords in these items, and returns whether one opened the collection.
  private func open(_ collection: ObjectPath, with items: [ObjectPath]) async throws -> Bool {
    let items = try await passwordsToTry(items, for: collection)
    let secrets = try await client.secrets(of: items)
    for password in items.compactMap({ secrets[$0] }) where !password.isEmpty {
      switch try await client.unlock(collection, password: password) {
      case .unlocked:
        client.log(.debug, "opened the group", ["group": group.qualifiedName])
        return true
      case .unsupported: throw locked
      case .denied: continue
      }
    }
    return false
  }

  /// Returns whether no further password can become available: the login collection is unlocked, or there is none.
  ///
  /// Returns `false` for the login and the default collection themselves.
  private func isUnrecoverable(_ collection: ObjectPath) async throws -> Bool {
    guard let login = try await client.collection(alias: "login") else { return true }
    if login == collection { return false }
    if try await client.collection(alias: "default") == collection { return false }
    return try await client.isLocked(login) == false
  }
}
