// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// The folder of gnome-keyring's keyrings with the files that saves write, and the free space of its disk.
struct KeyringsFolder: Sendable {
  private let path: String
  /// The files of the login keyring and of the groups; other programs' keyrings can't make a save fail.
  private let files: [String]

  init(_ environment: DiagnosticEnvironment, groups: [AccessGroup]) {
    let keyrings = environment.keyrings
    path = keyrings.folder
    let labels = Set(["login"] + groups.map(\.name))
    files = keyrings.files(labelled: labels).map(keyrings.path).sorted()
  }

  /// The error when the disk lacks the space for a save; otherwise `nil`.
  ///
  /// A save writes a whole keyring beside the old one.
  var insufficientSpace: CheckResult? {
    let sizes = files.compactMap { FileReader().information($0, followsLink: true)?.st_size }
    var system = statvfs()
    guard let largest = sizes.max(), unsafe statvfs(path, &system) == 0 else { return nil }
    let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
    let needed = UInt64(max(largest, 0)) + Self.margin
    guard free < needed else { return nil }
    return .error(
      .storageFailed,
      "The disk of \(path) has \(free) bytes left, and a save needs up to \(needed): the next one fails.",
      remedy: "Free some space on the disk of \(path).")
  }

  /// The error when no file can be made in the folder; otherwise `nil`.
  var writeFailure: CheckResult? {
    UnwritableDisk(of: path).map { .error(.storageFailed, $0.detail, remedy: $0.remedy) } ?? closedFile
  }

  /// The error when a save of the login keyring or of a group's would have the daemon replace a link; otherwise `nil`.
  var link: CheckResult? {
    files.lazy.compactMap(LinkedKeyringFile.init).first.map {
      .error(.storageFailed, $0.detail, remedy: $0.remedy)
    }
  }

  /// The warning when the daemon has left links in the folder, by thousands; otherwise `nil`.
  var leftLinks: CheckResult? {
    let count = KeyringFiles(folder: path).leftLinks
    guard count > 0 else { return nil }
    return .warning(
      "\(path) has \(Quantity.of(count, "link")) that the keyring daemon left when it saved a keyring whose file was a link.",
      remedy: "find \(ShellWord.quoted(path)) -maxdepth 1 -type l -name '*.keyring.temp-*' -delete")
  }

  /// The error when the daemon can't replace a keyring's file; otherwise `nil`.
  var closedFile: CheckResult? { immutableFile ?? mountedFile ?? foreignFile }

  /// The error when a keyring's file, or the folder, has an attribute that keeps even its owner from changing it;
  /// otherwise `nil`.
  private var immutableFile: CheckResult? {
    let closing = ([path] + files).compactMap { file in ClosingAttribute(of: file).map { (file, $0) } }
    guard let (file, attribute) = closing.first else { return nil }
    return .error(
      .storageFailed, "\(file) has an attribute with which the keyring daemon can't write it (chattr).",
      remedy: attribute.remedy)
  }

  /// The error when something is mounted at a keyring's file, as a container does with a single file; otherwise `nil`.
  ///
  /// The daemon writes another file and gives it the name, which the kernel refuses (rename(2), EBUSY).
  private var mountedFile: CheckResult? {
    let mounted = files.first { file in
      PrivateFolder.resolved(file).map { $0 == MountTable.point(of: $0) } == true
    }
    guard let mounted else { return nil }
    let (file, aside) = (ShellWord.quoted(mounted), ShellWord.aside(mounted))
    // What the mount hides may be a keyring, too.
    let hidden = ShellWord.aside("\(mounted).hidden")
    return .error(
      .storageFailed,
      "Something is mounted at \(mounted): the keyring daemon can't replace that file, so that no save succeeds.",
      remedy:
        "cp --preserve=mode \(file) \(aside) && sudo umount \(file) && mv \(file) \(hidden) && mv \(aside) \(file)"
    )
  }

  /// The error when a keyring's file is another user's, and this one may not read it; otherwise `nil`.
  ///
  /// The daemon can't replace it: first it makes a link to it, which the kernel forbids (`protected_hardlinks` in
  /// proc_sys_fs(5)), and then a copy.
  private var foreignFile: CheckResult? {
    for file in files {
      guard let info = FileReader().information(file, followsLink: false), info.st_mode & S_IFMT == S_IFREG,
        info.st_uid != geteuid(), unsafe faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) != 0
      else { continue }
      return .error(
        .storageFailed,
        "\(file) belongs to \(FileOwner.name(info.st_uid)): the keyring daemon can't save it, nor read it after the next"
          + " login.", remedy: "sudo chown -h $(id -u) \(ShellWord.quoted(file))")
    }
    return nil
  }

  /// The number of bytes by which a keyring grows when some records are saved.
  private static let margin: UInt64 = 64 << 10
}
