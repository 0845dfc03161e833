// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Decides which collection with a group's marker is the group's, because any program of the user can write a marker.
///
/// On gnome-keyring a group's dedicated collection opens with the group's password, which is in the login collection.
/// Of several markers, the one counts whose collection has the group's name and opens with that password. An only
/// marker also counts when its collection has the group's name and some password, as when the user created it. Other
/// providers have no such password, and create collections only with a prompt: the name decides.
package struct GroupProof: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  var files = KeyringFiles()

  package init(client: SecretServiceClient, group: AccessGroup, files: KeyringFiles = KeyringFiles()) {
    self.client = client
    self.group = group
    self.files = files
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
      known.claims == claims
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
    return location
  }

  /// Returns whether a record found in a collection may be changed there.
  ///
  /// Any program can copy a record. On gnome-keyring new data goes only into the login or the default collection, or
  /// into a collection that is proven to be the group's own. A positive result is remembered for each collection.
  func mayHold(_ collection: ObjectPath) async throws -> Bool {
    let handle = try await client.connection()
    guard handle.traits.offersGnomeInterface else { return true }
    let seen = WritableCollection(collection: collection, group: group, daemon: handle.daemon)
    if client.writableCollections.withLock({ $0.contains(seen) }) { return true }
    guard try await isWritable(collection) else { return false }
    client.writableCollections.withLock { _ = $0.insert(seen) }
    return true
  }

  /// Returns how far each collection is known to be one that may hold the group's records.
  package func standings(of collections: Set<ObjectPath>) async throws -> CollectionStandings {
    var standings: [ObjectPath: CollectionStandings.Standing] = [:]
    for collection in collections {
      do {
        standings[collection] = try await mayHold(collection) ? .proven : .refuted
      } catch SecretStoreError.Code.groupLocked {
        standings[collection] = .unproven
      }
    }
    return CollectionStandings(standings)
  }

  private func isWritable(_ collection: ObjectPath) async throws -> Bool {
    if collection == KeyringFiles.login.collection { return true }
    if hasDedicatedPathAndPassword(collection) { return true }
    if try await client.isCommon(collection) { return true }
    return try await isOwn(collection)
  }

  /// Returns whether a collection has the path of the group's dedicated one and its file is encrypted; takes no D-Bus
  /// call.
  private func hasDedicatedPathAndPassword(_ collection: ObjectPath) -> Bool {
    let file = GnomeKeyringFile(label: group.name)
    return collection == file.collection && files.isEncrypted(file) == true
  }

  // MARK: Providers where the group has a password

  private func provenByPassword(_ claims: GroupClaims) async throws -> GroupLocation? {
    if let only = claims.only {
      if only.placement == .dedicated { return try await isOwn(only.collection) ? only : nil }
      return try await client.isCommon(only.collection) ? only : nil
    }
    let dedicated = claims.locations.filter { $0.placement == .dedicated }
    if dedicated.isEmpty && claims.stillLocked.isEmpty {
      for location in claims.locations where try await client.isCommon(location.collection) {
        return location
      }
      return nil
    }
    var proven: [GroupLocation] = []
    for location in dedicated where try await isNamed(location.collection) {
      if try await opensWithGroupPassword(location.collection) { proven.append(location) }
    }
    guard proven.count == 1 else { throw ambiguous }
    return proven[0]
  }

  /// Returns whether a collection is the group's own: it has the group's name, and the group's password, or some password
  /// where the group has none.
  private func isOwn(_ collection: ObjectPath) async throws -> Bool {
    if hasDedicatedPathAndPassword(collection) { return true }
    // The file tells it without a call that changes the collection.
    let isEncrypted = GnomeKeyringFile(collection: collection).flatMap(files.isEncrypted)
    guard isEncrypted != false, try await isNamed(collection) else { return false }
    if try await opensWithGroupPassword(collection) { return true }
    let passwords = try await client.secrets(of: passwords().unlocked).values
    guard passwords.allSatisfy(\.isEmpty) else { return false }
    if let isEncrypted { return isEncrypted }
    return try await !client.isPassword(Secret(""), of: collection)
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
    for password in try await client.secrets(of: found.unlocked).values where !password.isEmpty {
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
      "Several collections say that they are the access group \(group)'s, and which one is can't be told;"
        + " nothing new is saved until they are joined.")
  }
}
