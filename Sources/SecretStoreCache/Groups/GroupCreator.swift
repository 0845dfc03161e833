// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import TokenCacheModel

/// Creates a group's collection and marker, without a prompt unless the policy allows one.
///
/// The order leaves nothing half created: the password is stored in the login collection first, then the collection is
/// created with it, then the marker. After a crash, a later attempt finds the collection by the password and takes it
/// over. One lock for all groups covers all of it, so that two apps that start together create one group.
package struct GroupCreator: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let policy: GroupPlacement
  var promptPolicy = PromptPolicy.never

  package static let lock = FileLock(.groupCreators)

  /// The lock for creating a group's collection.
  ///
  /// A writer of an item that it has read holds it shared.
  /// Otherwise a group that another program deletes could be created again between the read and the write. Its new
  /// items would have the paths of the old ones, and the write would replace another record.
  static func creation(of group: AccessGroup) -> FileLock {
    FileLock(.groupCreation, of: group)
  }

  package init(
    client: SecretServiceClient, group: AccessGroup, policy: GroupPlacement,
    promptPolicy: PromptPolicy = PromptPolicy.never
  ) {
    self.client = client
    self.group = group
    self.policy = policy
    self.promptPolicy = promptPolicy
  }

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  private var proof: GroupProof { GroupProof(client: client, group: group) }

  /// Returns the group's location, and creates the group when there is none.
  func findOrMake() async throws -> (location: GroupLocation, isNew: Bool) {
    if let found = try await finder.find() { return (found, false) }
    return try await Self.lock.run {
      try await withCreationLease { try await finder.find() }
    }
  }

  /// Creates a dedicated collection for a group in the default collection.
  ///
  /// The new collection gets a second marker, which takes precedence.
  func makeDedicated() async throws -> GroupLocation {
    try await Self.lock.run {
      try await withCreationLease {
        guard let found = try await finder.find(), found.placement == .dedicated else { return nil }
        return found
      }.location
    }
  }

  /// Creates the group unless another process does, whether or not that process shares the lock.
  ///
  /// - Parameter find: Returns the location that another process has created.
  private func withCreationLease(
    _ find: () async throws -> GroupLocation?
  ) async throws -> (location: GroupLocation, isNew: Bool) {
    if let found = try await find() { return (found, false) }
    let lease = GroupCreationLease(client: client, group: group)
    // A process that shares the lock needs no lease, but must check whether a process that does not share it holds one.
    if client.locks.isShared, try await !lease.isTaken(), let made = try await makeAndMark({ true }) {
      return (made, true)
    }
    while true {
      let outcome: (location: GroupLocation, isNew: Bool)? = try await lease.run { renewLease in
        if let found = try await find() { return (found, false) }
        return try await makeAndMark(renewLease).map { ($0, true) }
      }
      if let outcome { return outcome }
      try await GroupCreationLease.pause()
      if let found = try await find() { return (found, false) }
    }
  }

  /// Creates the location and marks it as the group's.
  ///
  /// - Parameter renewLease: Renews the lease, and returns whether this process still holds it.
  /// - Returns: The location; `nil` when the lease was lost. The collection then stays without a marker.
  func makeAndMark(_ renewLease: () async throws -> Bool) async throws -> GroupLocation? {
    let location = try await Self.creation(of: group).run { try await makeLocation() }
    guard try await renewLease() else { return nil }
    try await mark(location)
    client.log(
      .debug, "made the group", ["group": group.qualifiedName, "placement": location.placement.description])
    return location
  }

  private func makeLocation() async throws -> GroupLocation {
    if policy != .shared, let collection = try await makeCollection() {
      return GroupLocation(collection: collection, placement: .dedicated)
    }
    if policy == .dedicated && promptPolicy.timeLimit != nil {
      let made = try await client.createCollection(label: group.name, isDefault: false, promptPolicy)
      return GroupLocation(collection: made, placement: .dedicated)
    }
    if policy == .dedicated {
      throw SecretStoreError(
        .groupLocked,
        "This Secret Service makes a collection only with a dialog, and silent calls never prompt.")
    }
    guard let collection = try await sharedCollection() else {
      throw SecretStoreError(
        .serviceUnavailable, "The Secret Service has no default collection, and silent calls make none.")
    }
    guard try await client.isOpen(collection) else {
      throw SecretStoreError(.groupLocked, "The default collection is locked, and silent calls never prompt.")
    }
    return GroupLocation(collection: collection, placement: .shared)
  }

  /// Returns the login collection on gnome-keyring, elsewhere or without one the default collection; creates one when
  /// there is none and a prompt is allowed.
  private func sharedCollection() async throws -> ObjectPath? {
    if try await client.traits().offersGnomeInterface,
      let login = try await client.collection(alias: "login")
    {
      return login
    }
    if let found = try await client.collection(alias: "default") { return found }
    guard promptPolicy.timeLimit != nil else { return nil }
    return try await client.createCollection(label: "Default", isDefault: true, promptPolicy)
  }

  // MARK: Dedicated collection

  /// Creates a dedicated collection, or takes over the one that an earlier attempt left without a marker.
  ///
  /// - Returns: The collection; `nil` when the provider can't create one without a prompt.
  private func makeCollection() async throws -> ObjectPath? {
    guard try await client.traits().offersGnomeInterface else { return try await labelledCollection() }
    if let leftover = try await takeOverLeftover() { return leftover }
    return try await newCollection()
  }

  /// Creates a collection with a random password.
  ///
  /// - Returns: The collection; `nil` when the provider can't create one without a prompt.
  package func newCollection() async throws -> ObjectPath? {
    guard let login = try await client.collection(alias: "login") else {
      if promptPolicy.timeLimit != nil { return nil }
      throw SecretStoreError(
        .serviceUnavailable, "The Secret Service has no login collection, and silent calls make none.")
    }
    let files = try await client.keyringFiles
    if files.damagedLogin != nil { try files.refuseDamagedLogin() }
    let password = Self.newPassword()
    let former = files.files(labelled: group.name)
    // It names no file yet: the one of the group's name may be another publisher's.
    let item = try await client.createItem(
      in: login, label: ItemAttributes.label(GroupFinder.passwordKey, in: group),
      attributes: ItemAttributes.all(GroupFinder.passwordKey, in: group), schema: ItemAttributes.schema,
      secret: password, replaces: false)
    let created: ObjectPath?
    do {
      created = try await client.createCollection(label: group.name, password: password)
    } catch let error as BusError where error.name == BusError.accessDenied {
      // Nothing has been created, so that nothing needs the password.
      _ = try await client.deleteItem(item)
      throw error
    }
    guard let collection = created else {
      _ = try await client.deleteItem(item)
      return nil
    }
    // The file's name differs from the collection's when a file of that name exists that the daemon can't read.
    let made = files.files(labelled: group.name).subtracting(former)
    if let file = made.count == 1 ? made.first : GnomeKeyringFile(collection: collection) {
      try await point(item, to: file)
    }
    return collection
  }

  /// Sets the `keyring` attribute of an own password's item, by which gnome-keyring finds it at the next login.
  private func point(_ item: ObjectPath, to file: GnomeKeyringFile) async throws {
    try await client.setAttributes(withSchema: passwordAttributes(file), of: item)
    // gnome-keyring tries only one password of a file, so only the newest item keeps the attribute. The older items
    // stay: this library tries all of them, and one may open a file restored from a backup.
    for older in try await finder.ownPasswords(naming: file).keys where older != item {
      try await client.setAttributes(
        withSchema: ItemAttributes.all(GroupFinder.passwordKey, in: group), of: older)
    }
  }

  /// Returns the collection with the group's name that one of the group's passwords opens, or one that has the group's
  /// records where the group has no password left; `nil` when there is none.
  ///
  /// An earlier attempt left it, or it lost its marker. One that belongs to another publisher's group is not among
  /// them. Passwords that open nothing are kept, because a keyring file that was moved away may come back.
  private func takeOverLeftover() async throws -> ObjectPath? {
    let keys = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    for collection in Set(keys.locked.map(\.parent)) where try await client.isCommon(collection) {
      throw SecretStoreError(.groupLocked, "The login collection is locked, and silent calls never prompt.")
    }
    if keys.unlocked.isEmpty { return try await finder.keyringWithoutPassword() }
    let passwords = try await client.secrets(of: keys.unlocked).filter { !$0.value.isEmpty }
    var opened: [(collection: ObjectPath, password: ObjectPath)] = []
    for collection in try await client.collections().sorted(by: { $0.text < $1.text })
    where try await proof.mayBeOwn(collection) {
      if let password = try await opening(collection, passwords) { opened.append((collection, password)) }
    }
    if opened.count > 1 { throw proof.ambiguous }
    guard let (collection, password) = opened.first else { return nil }
    try await point(password, toFileOf: collection)
    return collection
  }

  /// Makes the password that opens the group's collection name the collection's file.
  ///
  /// An attempt that ended in between has left it without.
  package func pointPassword(toFileOf collection: ObjectPath) async throws {
    guard try await client.traits().offersGnomeInterface else { return }
    let keys = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group)).unlocked
    let passwords = try await client.secrets(of: keys).filter { !$0.value.isEmpty }
    guard let password = try await opening(collection, passwords) else { return }
    try await point(password, toFileOf: collection)
  }

  /// Gives the password of the group's open collection its attributes again, where its item has lost some.
  ///
  /// - Returns: Whether there was such an item.
  package func restorePassword(of collection: ObjectPath) async throws -> Bool {
    guard let file = GnomeKeyringFile(collection: collection) else { return false }
    let found = try await finder.passwordsLackingAttributes()
    if found.isEmpty { return false }
    let passwords = try await client.secrets(of: found)
    guard let item = try await opening(collection, passwords) else { return false }
    try await point(item, to: file)
    return true
  }

  private func point(_ password: ObjectPath, toFileOf collection: ObjectPath) async throws {
    // Another program's item may hold the password, too.
    guard let own = try await finder.ownPasswords()[password],
      let file = GnomeKeyringFile(collection: collection),
      GnomeKeyringFile(attribute: own[ItemAttributes.keyring]) != file
    else { return }
    try await point(password, to: file)
  }

  /// Returns the item of the password that opens a collection; `nil` when none does.
  private func opening(
    _ collection: ObjectPath, _ passwords: [ObjectPath: Secret]
  ) async throws -> ObjectPath? {
    // A locked collection without a password accepts any, and is then encrypted with it.
    if try await finder.isPlain(collection), try await client.isLocked(collection) == true { return nil }
    for (item, password) in passwords
    where try await client.unlock(collection, password: password) == .unlocked {
      if try await client.isPassword(password, of: collection) { return item }
    }
    return nil
  }

  /// Returns the collection that the user created for the group, which has the group's name; `nil` when there is none.
  private func labelledCollection() async throws -> ObjectPath? {
    for collection in try await client.collections().sorted(by: { $0.text < $1.text })
    where try await client.label(ofCollection: collection) == group.name {
      guard try await client.isOpen(collection) else {
        throw SecretStoreError(
          .groupLocked, "The collection \(group.name) is locked, and silent calls never prompt.")
      }
      return collection
    }
    return nil
  }

  private func passwordAttributes(_ file: GnomeKeyringFile) -> [String: String] {
    var attributes = ItemAttributes.all(GroupFinder.passwordKey, in: group)
    attributes[ItemAttributes.keyring] = file.attribute
    return attributes
  }

  /// Returns whether a secret has the form of the passwords created here.
  package static func hasForm(ofPassword secret: Secret) -> Bool {
    secret.read { bytes in bytes.count == 64 && bytes.allSatisfy { digits.contains($0) } }
  }

  /// Not `hexadecimalDigits`, whose texts, parts of the password, may stay in memory.
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns 256 random bits as 64 hexadecimal digits, which the user can type if necessary.
  private static func newPassword() -> Secret {
    var random = SystemRandomNumberGenerator()  // the kernel's generator, fit for keys
    var password = (0..<64).map { _ in digits[Int.random(in: 0..<16, using: &random)] }
    return Secret(wiping: &password)
  }
}
