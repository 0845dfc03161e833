// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// A check that the lock files are in the directory that all apps use, and that they can be written.
struct RuntimeDirectoryCheck: Sendable {
  let environment: DiagnosticEnvironment
  /// Whether the session bus replies, which shows whose directory counts.
  var hasBus = true

  static let name = "runtime-directory"

  func run() -> CheckResult {
    do {
      let folder = try LockFolder.find()
      guard try lockFile(in: folder.path) else {
        return .error(
          .storageFailed, "The disk of \(folder.path) has no locks.", remedy: GeneralRemedy.runtimeDirectory)
      }
      if let broken = LockFilesCheck(folder: folder.path).run() { return broken }
      return sharing(folder)
    } catch {
      let readOnly = readOnlyFolder.map { " \($0) is read-only." } ?? ""
      return .error(.storageFailed, error.detail + owner + readOnly, remedy: remedy)
    }
  }

  /// Returns the result that says whether the user's other apps use the same lock folder.
  private func sharing(_ folder: LockFolder) -> CheckResult {
    let facts = SystemProcessFacts(root: environment.root, environment: environment.variables)
      .processFacts()
    if case .snap = environment.sandbox {
      return .warning(
        "A snap shares its lock files with no other app: \(Self.instead).",
        remedy: "Install the app as a Debian package or Flatpak; no plug of snapd shares these files.")
    }
    if LockSharing.isShared(by: facts, folder: folder) {
      return .ok("The lock files are in \(folder.path).")
    }
    // The bus that does not reply may be in a folder of nobody's, for which there are no lock files.
    if !hasBus, environment.sandbox == nil, folder.isInRuntimeDirectory {
      return .ok(
        "The lock files are in \(folder.path). Without a bus nothing shows whether other apps look there.")
    }
    switch environment.sandbox {
    case .flatpak(let app): return ofFlatpak(app, folder)
    default:
      if let open = openDirectory {
        return .warning(
          "Others can write to the runtime directory \(open): \(Self.instead).",
          remedy: "chmod 700 \(ShellWord.quoted(open))")
      }
      return elsewhere(folder)
    }
  }

  /// Returns the result for lock files that are not in the runtime directory of the bus.
  private func elsewhere(_ folder: LockFolder) -> CheckResult {
    let place = "lock files are in \(folder.path), where other programs may not look: \(Self.instead)."
    let isOfBus = RuntimeDirectory.isOfBus(environment.variables, runtime)
    if isOfBus, let readOnly = readOnlyFolder, let remedy = diskRemedy(readOnly) {
      return .warning("\(readOnly) is read-only: the \(place)", remedy: remedy)
    }
    let given = environment.variable("XDG_RUNTIME_DIR").flatMap { path in
      Self.flaw(of: path).map { "XDG_RUNTIME_DIR is \(path), \($0): the" }
    }
    return .warning("\(given ?? "The") \(place)", remedy: GeneralRemedy.runtimeDirectory)
  }

  /// Returns why a path should not be the runtime directory; `nil` where it may be.
  private static func flaw(of path: String) -> String? {
    let isUsable = path.hasPrefix("/") && (try? RuntimeDirectory.isUsable(path)) == true
    let info = path.hasPrefix("/") ? FileReader().information(path, followsLink: true) : nil
    guard let info, info.st_mode & S_IFMT == S_IFDIR else {
      return isUsable ? nil : "no directory by an absolute path"
    }
    if !isUsable { return "a directory of \(FileOwner.name(info.st_uid)) and not yours" }
    return info.st_mode & 0o022 == 0 ? nil : "a directory to which others can write"
  }

  /// The user's runtime directory where others can write to it by mistake; otherwise `nil`.
  ///
  /// A directory that users share, such as `/tmp`, is none, and neither is one that no session has made.
  private var openDirectory: String? {
    guard let path = absolute("XDG_RUNTIME_DIR"), isOfSession,
      let info = FileReader().information(path, followsLink: true), info.st_mode & S_IFMT == S_IFDIR,
      info.st_uid == geteuid(), info.st_mode & 0o022 != 0, info.st_mode & mode_t(S_ISVTX | S_ISGID) == 0
    else { return nil }
    return path
  }

  /// Whether the runtime directory is the login's or holds the socket of the session bus, whoever can write to it.
  private var isOfSession: Bool {
    guard let path = PrivateFolder.resolved(runtime) else { return false }
    return path == PrivateFolder.resolved(RuntimeDirectory.usual)
      || RuntimeDirectory.foldersOfBus(environment.variables).contains(path)
  }

  /// The user's runtime directory, as a variable names it, or else the login's.
  private var runtime: String { absolute("XDG_RUNTIME_DIR") ?? RuntimeDirectory.usual }

  /// The folder for lock files in the runtime directory, or where there is none this, if it is read-only; otherwise
  /// `nil`.
  private var readOnlyFolder: String? {
    let inner = "\(runtime)/\(LockFolder.name)"
    let folder = FileReader().information(inner, followsLink: false) == nil ? runtime : inner
    return UnwritableDisk(of: folder)?.isReadOnly == true ? folder : nil
  }

  /// Returns the value of a variable that is an absolute path; otherwise `nil`.
  private func absolute(_ name: String) -> String? {
    environment.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  private func ofFlatpak(_ app: String, _ folder: LockFolder) -> CheckResult {
    let detail = "This Flatpak shares its lock files with no other app: \(Self.instead)."
    // Flatpak mounts the folder at its path outside of the sandbox. The app looks in the login's runtime directory.
    if folder.isInRuntimeDirectory,
      FlatpakMetadata(root: environment.root).asks(forRuntimeFolder: LockFolder.name)
    {
      return .warning(
        detail, remedy: "Start it anew, from a session whose XDG_RUNTIME_DIR is \(RuntimeDirectory.usual).")
    }
    return .warning(
      detail, remedy: "flatpak override --user --filesystem=xdg-run/\(LockFolder.name):create \(app)")
  }

  private static let instead =
    "each write is compared and verified instead, and two apps may redeem one token"

  /// Creates and removes a test file, and returns whether it could be locked.
  ///
  /// An existing folder shows neither that the disk has space nor that it has locks. The name is random: processes of
  /// several sandboxes, which share the folder, may have the same ID, and one process may check twice at a time.
  private func lockFile(in folder: String) throws(SecretStoreError) -> Bool {
    let path = "\(folder)/doctor-\(ItemAttributes.randomKey())"
    let file = try LockFile.open(path, O_WRONLY)
    defer {
      close(file)
      unsafe unlink(path)
    }
    return (try? LockFile.lock(file, path, LOCK_EX)) == true
  }

  /// Who made the folder in the runtime directory, as a sentence, where that is another user; otherwise empty.
  private var owner: String {
    guard let runtime = absolute("XDG_RUNTIME_DIR"),
      let info = FileReader().information("\(runtime)/\(LockFolder.name)", followsLink: false),
      info.st_uid != geteuid()
    else { return "" }
    return " It is that of another user, \(FileOwner.name(info.st_uid))."
  }

  private var remedy: String {
    if environment.variable("SUDO_UID") != nil { return GeneralRemedy.withoutSudo }
    let reader = FileReader()
    let outer = reader.information(runtime, followsLink: true)
    if outer.map({ $0.st_uid != geteuid() }) ?? (FileOwner.foreignOwner(above: runtime) != nil) {
      return GeneralRemedy.runtimeDirectory
    }
    let isFolder = outer.map { $0.st_mode & S_IFMT == S_IFDIR } ?? true
    let inRuntime = "\(runtime)/\(LockFolder.name)"
    guard isFolder, let folder = outer == nil ? LockFolder.pathInHome : inRuntime else {
      return GeneralRemedy.runtimeDirectory
    }
    guard let inner = reader.information(folder, followsLink: false) else {
      let above = outer == nil ? FileOwner.existing(above: folder) : runtime
      if let remedy = diskRemedy(above) { return remedy }
      return isClosed(above)
        ? "chmod u+rwx \(ShellWord.quoted(above))" : GeneralRemedy.runtimeDirectory
    }
    let name = ShellWord.quoted(folder)
    if inner.st_mode & S_IFMT != S_IFDIR { return "rm \(name)" }
    if inner.st_uid != geteuid() {
      return "mv \(name) \(ShellWord.aside(folder))"
    }
    return diskRemedy(folder) ?? ClosingAttribute(of: folder)?.remedy ?? "chmod 700 \(name)"
  }

  /// Returns whether the user's own mode of a folder is why nothing can be made there.
  private func isClosed(_ folder: String) -> Bool {
    guard FileReader().information(folder, followsLink: true)?.st_uid == geteuid() else { return false }
    // The kernel's own file systems, such as /proc, have no blocks and refuse whatever the mode is.
    var system = statvfs()
    return unsafe access(folder, R_OK | W_OK | X_OK) != 0 && statvfs(folder, &system) == 0
      && system.f_blocks > 0
  }

  /// Returns the remedy for a full or read-only disk; `nil` when the disk of the folder can be written.
  ///
  /// The mounts of a service are its own: to it, a disk that can be written may be read-only (systemd.exec(5)).
  private func diskRemedy(_ folder: String) -> String? {
    guard let disk = UnwritableDisk(of: folder) else { return nil }
    guard disk.isReadOnly, let unit else { return disk.remedy }
    return "Add ReadWritePaths=\(folder) to the section [Service] of \(unit), and start it again;"
      + " where the unit has neither ProtectSystem= nor ReadOnlyPaths=: \(disk.remedy)"
  }

  /// The service that this process is of; `nil` for a process of a session.
  private var unit: String? {
    let facts = SystemProcessFacts(root: environment.root, environment: environment.variables)
      .processFacts()
    return facts.unitName.flatMap { $0.hasSuffix(".service") && !$0.hasPrefix("user@") ? $0 : nil }
  }
}
