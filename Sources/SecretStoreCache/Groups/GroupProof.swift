// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Decides which collection with a group's marker is the group's, because any program of the user can write a marker.
///
/// On gnome-keyring a group's dedicated collection opens with the group's password, which is in the login collection.
/// Of several markers, the one counts whose collection has the group's name and opens with that password. An only
/// marker also counts when its collection has the group's name and some password, as when the user created it. Where
/// another publisher's group of that name has a marker or a password for the collection, too, only the group's password
/// counts. Other providers have no such password, and create collections only with a prompt: the name decides.
package struct GroupProof: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  package init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  /// Returns the group's location.
  ///
  /// - Returns: The location; `nil` when there is no marker, or only one that is not believed.
  /// - Throws: `corruptItem` when several markers contradict each other and none is proven; `groupLocked` when a locked
  ///   collection holds the password that would prove one.
  func provenLocation(of claims: GroupClaims) async throws -> GroupLocation? {
    if claims.locations.isEmpty { return nil }
    let daemon = try await client.connection().daemon
    if let known = client.provenLocations.withLock({ $0[group] }), known.daemon == daemon,
      known.claims == claims, try await mayHold(known.location.collection)
    {
      return known.location
    }
    let hasPassword = try await client.traits().offersGnomeInterface
    guard let location = try await hasPassword ? provenByPassword(claims) : provenByName(claims) else {
      return nil
    }
    client.provenLocations.withLock {
      $0[group] = ProvenLocation(claims: claims, location: location, daemon: daemon)
    }
    if hasPassword {
      let seen = GroupCollection(collection: location.collection, group: group, daemon: daemon)
      client.writableCollections.withLock { $0[seen] = CollectionProof() }
    }
    return location
  }

  /// Returns where the group is; `nil` where there is no group or nothing shows where it is.
  func home() async throws -> GroupLocation? {
    do {
      let claims = try await GroupFinder(client: client, group: group).claims(opening: false)
      return try await provenLocation(of: claims)
    } catch is SecretStoreError {
      return nil
    }
  }

  /// Returns whether a record found in a collection may be changed there.
  ///
  /// Any program can copy a record. On gnome-keyring new data goes only into the login collection, or into one that
  /// is proven to be the group's own. A positive result counts for a minute, and after that as long as the markers and
  /// the encryption of the file are the same.
  func mayHold(_ collection: ObjectPath) async throws -> Bool {
    let handle = try await client.connection()
    guard handle.traits.offersGnomeInterface else { return true }
    let seen = GroupCollection(collection: collection, group: group, daemon: handle.daemon)
    let known = client.writableCollections.withLock { $0[seen] }
    if let known {
      if known.isRecent || collection == KeyringFiles.loginCollection { return true }
      // A locked one is unlocked first, with the group's password.
      guard let evidence = try await evidence(of: collection) else { return true }
      if evidence != known.evidence, try await !isWritable(collection) {
        client.writableCollections.withLock { $0[seen] = nil }
        return false
      }
      client.writableCollections.withLock { $0[seen] = CollectionProof(evidence) }
      return true
    }
    guard try await isWritable(collection) else { return false }
    client.writableCollections.withLock { $0[seen] = CollectionProof() }
    return true
  }

  /// Returns what shows that an open collection is still the same one; `nil` for a locked one with a marker.
  private func evidence(of collection: ObjectPath) async throws -> CollectionEvidence? {
    let found = try await client.search(Self.marker.merging(ItemAttributes.owner(group)) { $1 })
    if found.locked.contains(where: { $0.parent == collection }) { return nil }
    var markers: [ObjectPath: Int] = [:]
    for marker in found.unlocked where marker.parent == collection {
      markers[marker] = try await client.created(marker)
    }
    let file = GnomeKeyringFile(collection: collection)
    let isEncrypted = try await file.flatMap(client.keyringFiles.isEncrypted)
    return CollectionEvidence(isEncrypted: isEncrypted, markers: markers)
  }

  /// Returns how certain it is that each collection may hold the group's records.
  package func standings(of collections: Set<ObjectPath>) async throws -> CollectionStandings {
    var standings: [ObjectPath: CollectionStandings.Standing] = [:]
    for collection in collections {
      do {
        standings[collection] = try await mayHold(collection) ? .proven : .unproven
      } catch SecretStoreError.Code.groupLocked {
        standings[collection] = try await isUnproven(collection) ? .unproven : .undecided
      }
    }
    return CollectionStandings(standings)
  }

  private func isWritable(_ collection: ObjectPath) async throws -> Bool {
    if collection == KeyringFiles.loginCollection { return true }
    if try await isAtOwnPath(collection) { return true }
    return try await isShareable(collection) ? true : isOwn(collection)
  }

  /// Returns whether a collection is known to be the group's dedicated one without trying a password, which would make
  /// the daemon write the keyring's file.
  ///
  /// It has the path that a keyring of the group's name gets first, and its file is encrypted. One password names it,
  /// which is the group's, and the marker in it was created with that password: a program that puts its own keyring in
  /// the place can copy the marker, but not its time. Where the group has no password, since a person has created its
  /// keyring, no other collection has a marker of it, and no other publisher's group has marked this one. The daemon
  /// doesn't know the password's time once it has read the locked login keyring again.
  private func isAtOwnPath(_ collection: ObjectPath) async throws -> Bool {
    let file = GnomeKeyringFile(label: group.name)
    guard collection == file.collection, try await client.keyringFiles.isEncrypted(file) == true else {
      return false
    }
    let passwords = try await passwords(naming: file)
    if passwords.own.isEmpty {
      return try await hasOnlyMarker(collection) ? passwordsInLogin().isEmpty : false
    }
    guard passwords.own.count == 1, passwords.others.isEmpty else { return false }
    let found = try await client.search(Self.marker.merging(ItemAttributes.owner(group)) { $1 })
    let markers = (found.unlocked + found.locked).filter { $0.parent == collection }
    let made = try await client.created(passwords.own[0])
    for marker in markers {
      let time = try await client.created(marker)
      if time > 0, abs(made - time) <= Self.makingSeconds { return true }
    }
    return false
  }

  /// Returns whether every marker of the group is in a collection, and none of another publisher's group.
  private func hasOnlyMarker(_ collection: ObjectPath) async throws -> Bool {
    let markers = try await markers()
    return markers.own.allSatisfy { $0.parent == collection }
      && !markers.others.contains { $0.parent == collection }
  }

  /// The seconds that the creation of a group usually takes at most, from its password to its marker.
  private static let makingSeconds = 10

  /// Returns whether a collection is locked and not the group's, because a password of the group names
  /// another one.
  func isLockedAndUnproven(_ collection: ObjectPath) async throws -> Bool {
    guard try await client.isLocked(collection) == true else { return false }
    return try await isUnproven(collection)
  }

  /// Returns whether a collection is not the group's as far as is known while the login collection is locked.
  private func isUnproven(_ collection: ObjectPath) async throws -> Bool {
    if try await collectionsMarkedByOthers().contains(collection) { return true }
    guard let file = GnomeKeyringFile(collection: collection) else { return false }
    if try await !passwords(naming: file).own.isEmpty { return false }
    let passwords = try await passwordsInLogin()
    // Older passwords name no file. The attributes of a locked item can't be read.
    guard try await client.isLocked(KeyringFiles.loginCollection) == false else { return !passwords.isEmpty }
    return try await client.attributes(of: passwords).values.contains { $0[ItemAttributes.keyring] != nil }
  }

  /// Returns the group's passwords in the login collection, which may be locked.
  private func passwordsInLogin() async throws -> [ObjectPath] {
    let found = try await passwords()
    return (found.unlocked + found.locked).filter(Self.isInLogin)
  }

  static func isInLogin(_ item: ObjectPath) -> Bool { item.parent == KeyringFiles.loginCollection }

  static let marker = ["kind": RecordKind.group.rawValue]

  /// Returns whether a group without a dedicated collection may be in a collection.
  ///
  /// Any program can make its own keyring the default one. So on gnome-keyring it is the login collection, and the
  /// default one only where there is no login collection.
  func isShareable(_ collection: ObjectPath) async throws -> Bool {
    if try await client.traits().offersGnomeInterface, let login = try await client.collection(alias: "login")
    {
      return collection == login
    }
    return try await client.isCommon(collection)
  }

  // MARK: Providers where the group has a password

  private func provenByPassword(_ claims: GroupClaims) async throws -> GroupLocation? {
    if let only = claims.only {
      if only.placement == .dedicated { return try await isOwn(only.collection) ? only : nil }
      return try await isShareable(only.collection) ? only : nil
    }
    let dedicated = claims.locations.filter { $0.placement == .dedicated }
    var named: [GroupLocation] = []
    for location in dedicated where try await isNamedOrWas(location.collection) { named.append(location) }
    if named.count == 1, try await isAtOwnPath(named[0].collection) { return named[0] }
    var proven: [GroupLocation] = []
    for location in named where try await opensWithGroupPassword(location.collection) {
      proven.append(location)
    }
    if proven.count == 1 { return proven[0] }
    let standings = try await standings(of: Set(dedicated.map(\.collection)))
    let isUnproven = dedicated.allSatisfy { standings[$0.collection] == .unproven }
    guard proven.isEmpty, isUnproven, claims.stillLocked.isEmpty else { throw ambiguous }
    for location in claims.locations where location.placement == .shared {
      if try await isShareable(location.collection) { return location }
    }
    return nil
  }

  /// Returns whether a collection is the group's own: it has the group's name, and the group's password, or some
  /// password where the group has none.
  private func isOwn(_ collection: ObjectPath) async throws -> Bool {
    if try await isAtOwnPath(collection) { return true }
    // The file shows it without a call that changes the collection.
    let files = try await client.keyringFiles
    let isEncrypted = GnomeKeyringFile(collection: collection).flatMap(files.isEncrypted)
    guard isEncrypted != false, try await isNamedOrWas(collection) else { return false }
    if try await opensWithGroupPassword(collection) { return true }
    guard try await isNamed(collection), try await hasOnlyMarker(collection) else { return false }
    let passwords = try await client.secrets(of: passwords().unlocked).values
    guard passwords.allSatisfy(\.isEmpty) else { return false }
    if let isEncrypted { return isEncrypted }
    return try await !client.isPassword(Secret(""), of: collection)
  }

  /// Returns whether a collection has the group's name, or has a marker of the group and the name in its file's: a
  /// person can rename a keyring, but not its file.
  private func isNamedOrWas(_ collection: ObjectPath) async throws -> Bool {
    if try await isNamed(collection) { return true }
    guard GnomeKeyringFile(collection: collection)?.hasName(group.name) == true else { return false }
    return try await markers().own.contains { $0.parent == collection }
  }

  /// Returns whether an unlocked collection opens with a password from the login collection.
  package func opensWithGroupPassword(_ collection: ObjectPath) async throws -> Bool {
    // A locked collection without a password accepts any password.
    guard try await client.isLocked(collection) == false else { return false }
    var found = try await passwords()
    // gnome-keyring stores a password that the user chose in an item of its own.
    if let file = GnomeKeyringFile(collection: collection) {
      let remembered = try await client.rememberedPasswords(of: file, beside: group)
      found.unlocked += remembered.unlocked
      found.locked += remembered.locked
    }
    let items = try await GroupFinder(client: client, group: group)
      .passwordsToTry(found.unlocked, for: collection)
    let secrets = try await client.secrets(of: items)
    for password in items.compactMap({ secrets[$0] }) where !password.isEmpty {
      if try await client.isPassword(password, of: collection) { return true }
    }
    // The right password may be in a locked collection.
    guard found.locked.isEmpty else { throw SecretServiceClient.locked }
    return false
  }

  private func passwords() async throws -> FoundItems {
    try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
  }

  // MARK: Providers where it has none

  private func provenByName(_ claims: GroupClaims) async throws -> GroupLocation? {
    var named: [GroupLocation] = []
    for location in claims.locations where location.placement == .dedicated {
      if try await isNamed(location.collection) { named.append(location) }
    }
    if named.count > 1 { throw ambiguous }
    if let own = named.first { return own }
    let shared = claims.locations.filter { $0.placement == .shared }
    for location in shared where try await client.isCommon(location.collection) { return location }
    // KeePassXC's default collection is the database that is shown now.
    return shared.first
  }

  // MARK: Shared helpers

  package func isNamed(_ collection: ObjectPath) async throws -> Bool {
    try await client.label(ofCollection: collection) == group.name
  }

  var ambiguous: SecretStoreError {
    SecretStoreError(
      .corruptItem,
      "Several collections say that they belong to the access group \(group), and which one does is unknown;"
        + " nothing new is saved until they are joined.")
  }
}
