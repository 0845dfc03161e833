// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What of the keyrings' files the daemon has read, and which are of access groups.
extension KeyringFiles {
  /// The labels of the keyrings that have items of access groups, without the login keyring's, sorted; `nil` for one
  /// that no group can have.
  package var groupLabels: [String?] {
    let labels = all.filter { $0 != Self.login && hasGroupItems($0) }.map { label(of: $0) ?? $0.stem }
    return labels.sorted().map { try? AccessGroup($0).name }
  }

  /// Returns whether a keyring has items of access groups; `false` where its file can't be read.
  ///
  /// The names of attributes are not encrypted.
  package func hasGroupItems(_ file: GnomeKeyringFile) -> Bool {
    let items = bytes(of: file).flatMap(KeyringFileFormat.attributes)?.values
    return items?.contains(where: ItemAttributes.areNames) == true
  }

  /// Why the daemon lacks the content of the login keyring's file; `nil` when it has read it or there is no file.
  package func missedLogin(_ client: SecretServiceClient) async throws -> KeyringDamage? {
    if let damagedLogin { return damagedLogin }
    if try await holdsOtherLogin(client) {
      return KeyringDamage(path: path(of: Self.login), kind: .notRead)
    }
    guard isOfLoginSession, keyrings.contains("login.keyring") else { return nil }
    // The alias may stand for a collection of which the daemon has no object.
    if let login = try await client.collection(alias: "login"), try await client.isLocked(login) != nil {
      return nil
    }
    return unreadLogin
  }

  /// Throws `storageFailed` when the daemon can't have read the login keyring, as where its file came back since.
  ///
  /// Then nothing can be said of who is signed in: groups and the passwords of groups are in that keyring.
  ///
  /// - Parameter what: What may be in the folder.
  func refuseMissedLogin(_ what: String, _ client: SecretServiceClient) async throws {
    guard try await client.traits().offersGnomeInterface else { return }
    if let folderDamage = folderDamage() { throw folderDamage.error("\(what) may be in it") }
    if let damage = try await missedLogin(client) {
      throw damage.error("\(what) or its password may be in it")
    }
  }

  /// Throws `storageFailed` when a group seems absent only because the daemon has not read its file.
  ///
  /// That is so when the daemon has not read the login keyring, or when the group's password is in that and its file
  /// exists. Where the login keyring is not open, a file of the group's name that can't be read counts as the group's.
  package func refuseUnreadable(of group: AccessGroup, _ client: SecretServiceClient) async throws {
    try await refuseMissedLogin("the access group \(group)", client)
    let files = files(labelled: group.name)
    guard !files.isEmpty, try await client.traits().offersGnomeInterface else { return }
    let keys = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group)).unlocked
    for key in keys {
      let attribute = try await client.attributes(of: key)[ItemAttributes.keyring]
      guard let file = GnomeKeyringFile(attribute: attribute), files.contains(file) else { continue }
      var found = damage(of: file)
      if found == nil { found = try await notRead(file, client) }
      guard let found else { continue }
      throw found.error("it belongs to the access group \(group)")
    }
    let damaged = files.sorted { path(of: $0) < path(of: $1) }.lazy.compactMap(damage).first
    if keys.isEmpty, let damaged, try await !hasOpenLogin(client) {
      throw damaged.error("it may belong to the access group \(group)")
    }
  }

  /// Returns why the daemon has no object for a file's keyring; `nil` where it has one, or there is no file.
  ///
  /// It finds the items of a file that has appeared since it started, but neither opens nor changes them.
  package func notRead(_ file: GnomeKeyringFile, _ client: SecretServiceClient) async throws -> KeyringDamage?
  {
    // Its group may be deleted meanwhile.
    guard let collection = file.collection, exists(file), try await client.isLocked(collection) == nil,
      exists(file)
    else { return nil }
    return damage(of: file) ?? KeyringDamage(path: path(of: file), kind: .notRead)
  }

  /// Returns the path of the file that another file, which the daemon has not read, is a copy of, as programs make that
  /// synchronize folders or back them up; `nil` where the daemon has no such keyring.
  ///
  /// A backup of the login keyring that is to be opened is no copy to move away.
  package func original(
    ofCopy file: GnomeKeyringFile, _ client: SecretServiceClient
  ) async throws -> String? {
    guard file != Self.loginBackup, let label = label(of: file), let bytes = bytes(of: file) else {
      return nil
    }
    let times = KeyringFileFormat.times(bytes)
    for other in all.sorted(by: { $0.stem < $1.stem }) where other != file && self.label(of: other) == label {
      guard let others = self.bytes(of: other), !KeyringFileFormat.times(others).isDisjoint(with: times),
        let collection = other.collection, try await client.isLocked(collection) != nil
      else { continue }
      return path(of: other)
    }
    return nil
  }

  /// Throws `storageFailed` when the daemon has no object for a keyring of a group's name, as for a copied file: what it
  /// finds there it can't remove.
  ///
  /// Another publisher's group of that name may have such a keyring, too, which no removal concerns.
  func refuseRemains(of group: AccessGroup, _ client: SecretServiceClient) async throws {
    guard isOfLoginSession, try await client.traits().offersGnomeInterface else { return }
    for file in files(labelled: group.name).sorted(by: { $0.stem < $1.stem })
    where label(of: file) == group.name {
      guard let damage = try await notRead(file, client), try await !isOfOpenCollection(file, group, client)
      else { continue }
      func hasItems(_ attributes: [String: String]) async throws -> Bool {
        let found = try await client.search(attributes)
        return (found.unlocked + found.locked).contains { $0.parent == file.collection }
      }
      let hasOwn = try await hasItems(ItemAttributes.owner(group))
      let isOfOthers = hasOwn ? false : try await hasItems(["group": group.name])
      if isOfOthers { continue }
      throw damage.error(
        "what it \(hasOwn ? "has" : "may have") of the access group \(group) can't be removed now")
    }
  }

  /// Returns whether a file is that of the group's own keyring, to which the daemon gave the path of another file, since
  /// it could not read that one.
  private func isOfOpenCollection(
    _ file: GnomeKeyringFile, _ group: AccessGroup, _ client: SecretServiceClient
  ) async throws -> Bool {
    let keyring = try await GroupProof(client: client, group: group).ownKeyring()
    guard let own = keyring.flatMap(GnomeKeyringFile.init(collection:)), own != file,
      !exists(own) || damage(of: own) != nil
    else { return false }
    return try await !GroupFinder(client: client, group: group).ownPasswords(naming: file).isEmpty
  }

  /// Returns whether the login collection is open, with the passwords of all groups in it.
  private func hasOpenLogin(_ client: SecretServiceClient) async throws -> Bool {
    guard loginDamage == nil, let login = try await client.collection(alias: "login") else { return false }
    return try await client.isLocked(login) == false
  }
}
