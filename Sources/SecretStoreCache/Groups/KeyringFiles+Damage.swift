// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

extension KeyringFiles {
  /// The size of the largest file whose content is checked, in bytes; the daemon itself reads larger ones.
  static let maximumBytes = 256 << 20

  /// Returns why the user's own programs can't use the folder; `nil` when they can, or when there is no folder.
  ///
  /// - Parameter writes: Whether they must be able to write to it, too.
  package func folderDamage(writes: Bool = false) -> KeyringDamage? {
    var info = stat()
    guard unsafe lstat(folder, &info) == 0 else {
      guard errno == EACCES else { return damageAbove }
      let above = FileOwner.existing(above: folder)
      let isOwn = unsafe stat(above, &info) == 0 && info.st_uid == geteuid()
      return isOwn
        ? KeyringDamage(path: above, kind: .folderAboveDenied)
        : KeyringDamage(path: folder, kind: .folderOfOthers)
    }
    guard unsafe stat(folder, &info) == 0 else {
      // A link that leads in a circle has no target that could come back.
      if errno == ELOOP { return KeyringDamage(path: folder, kind: .noFolder) }
      return KeyringDamage(path: folder, kind: .folderElsewhere(target(ofLink: folder) ?? "nowhere"))
    }
    if info.st_mode & S_IFMT != S_IFDIR { return KeyringDamage(path: folder, kind: .noFolder) }
    let isOwn = info.st_uid == geteuid()
    if isOwn, info.st_mode & S_IRWXU != S_IRWXU { return KeyringDamage(path: folder, kind: .folderDenied) }
    guard unsafe faccessat(AT_FDCWD, folder, R_OK | X_OK | (writes ? W_OK : 0), AT_EACCESS) != 0 else {
      return nil
    }
    return errno == EACCES ? KeyringDamage(path: folder, kind: .folderOfOthers) : nil
  }

  /// Why a folder above the folder leads nowhere; `nil` where none of them does, whether or not the folder is there.
  private var damageAbove: KeyringDamage? {
    var path = folder
    while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      path = String(path[..<slash])
      guard FileReader().information(path, followsLink: false) != nil else { continue }
      guard let info = FileReader().information(path, followsLink: true) else {
        return target(ofLink: path).map { KeyringDamage(path: path, kind: .folderElsewhere($0)) }
      }
      let isOwnFile = info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid()
      return isOwnFile ? KeyringDamage(path: path, kind: .noFolder) : nil
    }
    return nil
  }

  /// Whether a link has the file's place: a command that follows it would change what another program chose.
  private func isLink(_ file: GnomeKeyringFile) -> Bool {
    FileReader().information(path(of: file), followsLink: false).map { $0.st_mode & S_IFMT == S_IFLNK }
      == true
  }

  private func target(ofLink path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// Returns the keyring files with one of these labels, in the file or as its name.
  package func files(labelled labels: Set<String>) -> Set<GnomeKeyringFile> {
    all.filter { file in
      label(of: file).map(labels.contains) == true || labels.contains(where: file.hasName)
    }
  }

  /// Returns the label in a keyring's file, which is encrypted but for it; `nil` where it can't be read.
  package func label(of file: GnomeKeyringFile) -> String? {
    FileReader().beginning(of: path(of: file)).flatMap(KeyringFileFormat.label)
  }

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

  /// The path of the login keyring's file where the folder can be seen and the file is not in it; otherwise `nil`.
  package var missingLogin: String? {
    guard unsafe faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS) == 0 else { return nil }
    let path = path(of: Self.login)
    return FileReader().information(path, followsLink: false) == nil ? path : nil
  }

  /// Returns whether a file is encrypted with a password; `nil` when it can't be read.
  package func isEncrypted(_ file: GnomeKeyringFile) -> Bool? {
    FileReader().beginning(of: path(of: file)).map(KeyringFileFormat.isEncrypted)
  }

  /// Returns why the daemon can't read a file; `nil` when it can, or when there is no file.
  package func damage(of file: GnomeKeyringFile) -> KeyringDamage? {
    let path = path(of: file)
    guard let info = FileReader().information(path, followsLink: true) else {
      return target(ofLink: path).map { KeyringDamage(path: path, kind: .elsewhere($0)) }
    }
    if info.st_mode & S_IFMT == S_IFREG, info.st_size == 0 { return KeyringDamage(path: path, kind: .empty) }
    do throws(FileReader.Refusal) {
      let bytes = try FileReader().contents(path, limit: Self.maximumBytes).bytes
      if KeyringFileFormat.isOfOtherVersion(bytes) { return KeyringDamage(path: path, kind: .otherVersion) }
      return KeyringFileFormat.isWhole(bytes) ? nil : KeyringDamage(path: path, kind: .cutOrOverwritten)
    } catch {
      switch error {
      case .tooLarge: return nil
      case .failed(EACCES) where isLink(file): return KeyringDamage(path: path, kind: .unreadable(error))
      case .failed(EACCES) where info.st_uid == geteuid(): return KeyringDamage(path: path, kind: .denied)
      case .failed(EACCES):
        return KeyringDamage(path: path, kind: .ofOthers(FileOwner.name(info.st_uid)))
      default: return KeyringDamage(path: path, kind: .unreadable(error))
      }
    }
  }

  /// The first file for which the daemon, which opens each of these, would wait without end; `nil` when there is none.
  package var endlessFile: KeyringDamage? {
    let opened = names.filter { $0.hasSuffix(".keyring") || $0.hasSuffix(".keystore") }
    let paths = opened.sorted().map { "\(folder)/\($0)" }
    return paths.first { path in
      FileReader().information(path, followsLink: true).map { $0.st_mode & S_IFMT == S_IFIFO } == true
    }.map { KeyringDamage(path: $0, kind: .fifo) }
  }

  /// Why the daemon could not read the login keyring; `nil` when it can.
  package var loginDamage: KeyringDamage? { damage(of: Self.login) }

  /// Why there is no login keyring although its file exists; `nil` when there is no file.
  var unreadLogin: KeyringDamage? {
    let path = path(of: Self.login)
    guard FileReader().information(path, followsLink: false) != nil else { return nil }
    return loginDamage ?? KeyringDamage(path: path, kind: .notRead)
  }

  /// Whether there are keyrings, but not the login keyring with their passwords.
  package var hasLostLogin: Bool {
    !keyrings.isEmpty && !keyrings.contains("login.keyring")
  }

  /// Why the daemon could not read the login keyring; `nil` unless it has created another one beside it.
  var damagedLogin: KeyringDamage? { files(labelled: Self.login.stem).count > 1 ? loginDamage : nil }

  /// Throws `storageFailed` when the login keyring can't be read now: its passwords are not lost.
  package func refuseDamagedLogin() throws(SecretStoreError) {
    if let loginDamage { throw loginDamage.error("the passwords of the access groups are in it") }
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

  /// Whether the folder is that of this login session: the daemon's process or a variable of this process names it.
  package var isOfLoginSession: Bool {
    if !isGuess { return true }
    let environment = ProcessEnvironment.current
    let data = [environment["SSO_CACHE_KEYRING"], DataDirectories(environment: environment).home]
    return data.contains { $0.map { "\($0)/keyrings" } == folder }
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

  /// Returns whether the login collection is open, with the passwords of all groups in it.
  private func hasOpenLogin(_ client: SecretServiceClient) async throws -> Bool {
    guard loginDamage == nil, let login = try await client.collection(alias: "login") else { return false }
    return try await client.isLocked(login) == false
  }
}
