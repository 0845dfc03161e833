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
        : ofOthers(above)
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
    return errno == EACCES ? ofOthers(folder) : nil
  }

  /// Returns the damage of a folder that another user owns and that this user may not use.
  private func ofOthers(_ folder: String) -> KeyringDamage {
    let owner = FileReader().information(folder, followsLink: true)?.st_uid
    return KeyringDamage(
      path: folder,
      kind: .folderOfOthers(
        owner.map(FileOwner.name) ?? "somebody else",
        canBeTakenBack: owner != geteuid() && FileOwner.isBelowHome(folder)))
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

  /// Returns the path to which a link leads; a relative one counts from the link's folder.
  private func target(ofLink path: String) -> String? {
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return nil }
    if target.hasPrefix("/") { return target }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    var names: [Substring] = []
    for name in "\(PrivateFolder.resolved(folder) ?? folder)/\(target)".split(separator: "/")
    where name != "." {
      if name == ".." { names = names.dropLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
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

  /// The path of the login keyring's file where the folder can be seen and the file is not in it; otherwise `nil`.
  package var missingLogin: String? {
    guard unsafe faccessat(AT_FDCWD, folder, R_OK | X_OK, AT_EACCESS) == 0 else { return nil }
    let path = path(of: Self.login)
    return FileReader().information(path, followsLink: false) == nil ? path : nil
  }

  /// Returns whether a file is encrypted with a password; `nil` when it can't be read, or is empty.
  package func isEncrypted(_ file: GnomeKeyringFile) -> Bool? {
    FileReader().beginning(of: path(of: file)).flatMap {
      $0.isEmpty ? nil : KeyringFileFormat.isEncrypted($0)
    }
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
      case .notRegular:
        return KeyringDamage(path: path, kind: info.st_mode & S_IFMT == S_IFIFO ? .fifo : .notRegular)
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

  /// The damage of a login keyring whose file is a copy of another keyring's, or was exchanged with it; otherwise `nil`.
  package var replacedLogin: KeyringDamage? {
    guard let found = items(of: Self.login), let name = label(of: Self.login), !name.contains("/") else {
      return nil
    }
    let other = GnomeKeyringFile(label: name)
    guard other != Self.login, let others = items(of: other) else { return nil }
    let file = path(of: Self.login)
    if others == found { return found.isEmpty ? nil : KeyringDamage(path: file, kind: .copy(of: name)) }
    guard let label = label(of: other), label != name, GnomeKeyringFile(label: label) != other else {
      return nil
    }
    return KeyringDamage(path: file, kind: .exchanged(with: name, path: path(of: other)))
  }

  /// Throws `storageFailed` when the login keyring can't be read now: its passwords are not lost.
  package func refuseDamagedLogin() throws(SecretStoreError) {
    if let loginDamage { throw loginDamage.error("the passwords of the access groups are in it") }
  }

  /// Whether the folder is that of this login session: the daemon's process or a variable of this process names it.
  package var isOfLoginSession: Bool {
    if !isGuess { return true }
    let environment = ProcessEnvironment.current
    let data = [environment["SSO_CACHE_KEYRING"], DataDirectories(environment: environment).home]
    return data.contains { $0.map { "\($0)/keyrings" } == folder }
  }
}
