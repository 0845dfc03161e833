// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

extension KeyringFiles {
  /// Why a keyring's file was not kept.
  struct Unkept: ErrorWithRemedy {
    let path: String
    /// The system's error number; `EEXIST` when all names are in use.
    let reason: Int32

    var remedy: String {
      reason == EEXIST
        ? "Move the files \(path).lost to another folder, and those with a number behind this name."
        : "Free some space on the disk of \(path), and check that its folder can be written."
    }

    var error: SecretStoreError {
      SecretStoreError(
        .storageFailed,
        "Nothing is removed, because the keyring file \(path) can't be kept as \(path).lost:"
          + " \(reason == EEXIST ? "this name and its numbers are in use" : "error \(reason)").",
        underlying: self)
    }
  }

  /// The file of a keyring is not in the folder, or another one is there.
  struct Unseen: ErrorWithRemedy {
    let remedy =
      "Run it in a terminal of the desktop, where XDG_DATA_HOME and HOME are those of the keyring daemon; if the folder is"
      + " right and its files were changed since you logged in, \(NewLogin.words) first."
  }

  /// Keeps a locked keyring's file under another name, which no daemon reads, before the keyring is deleted.
  ///
  /// Where the daemon could not read a file of this name, the keyring's own has a number behind the name: all of them
  /// are kept but those with another keyring's label.
  ///
  /// - Parameter items: The names of the keyring's items, as the daemon lists them. A file with others isn't this
  ///   keyring's, as where this process looks into another folder than the daemon.
  /// - Throws: `storageFailed` when a file was not kept, or none of the files is the keyring's.
  func keepFiles(of file: GnomeKeyringFile, with items: Set<String>) throws {
    let holds = { self.items(of: $0) == items }
    let candidates = files(labelled: file.stem).union([file]).filter { other in
      let label = label(of: other)
      let info = FileReader().information(path(of: other), followsLink: true)
      return info.map { $0.st_mode & S_IFMT == S_IFREG } == true
        && (label == nil || other == file || label == file.stem)
    }
    guard candidates.contains(where: holds) else { throw unseen(file) }
    let own = candidates.contains(file) && holds(file) ? [file] : candidates
    for path in own.map(path).sorted() { try keep(path) }
  }

  /// The error of a keyring whose file is not seen.
  func unseen(_ file: GnomeKeyringFile) -> SecretStoreError {
    SecretStoreError(
      .storageFailed,
      "Nothing is removed, because the file of the locked keyring \(file.stem) can't be kept: it is not in \(folder), or"
        + " another one is there.", underlying: Unseen())
  }

  /// Returns the names of a file's items; `nil` when they can't be read.
  func items(of file: GnomeKeyringFile) -> Set<String>? {
    bytes(of: file).flatMap(KeyringFileFormat.items)
  }

  /// Returns the content of a file; `nil` when it can't be read.
  func bytes(of file: GnomeKeyringFile) -> [UInt8]? {
    try? FileReader().contents(path(of: file), limit: Self.maximumBytes).bytes
  }

  /// Removes a file that has no content.
  ///
  /// The daemon may write it meanwhile. So it gets another name first, and its own again if it has content.
  func removeEmpty(_ file: GnomeKeyringFile) {
    let path = path(of: file)
    guard isEmptyFile(path) else { return }
    let aside = "\(path).\(ItemAttributes.randomKey())"
    guard unsafe rename(path, aside) == 0 else { return }
    if !isEmptyFile(aside), unsafe link(aside, path) != 0 { return }
    unsafe unlink(aside)
  }

  private func isEmptyFile(_ path: String) -> Bool {
    guard let info = FileReader().information(path, followsLink: false) else { return false }
    return info.st_mode & S_IFMT == S_IFREG && info.st_size == 0
  }

  private func keep(_ path: String) throws(SecretStoreError) {
    if let link = LinkedKeyringFile(path: path) {
      throw SecretStoreError(
        .storageFailed, "Nothing is removed, because the keyring file can't be kept: \(link.detail)",
        underlying: link)
    }
    var reason = EEXIST
    for number in 1..<1000 where reason == EEXIST {
      let other = "\(path).lost\(number > 1 ? "-\(number)" : "")"
      if unsafe link(path, other) == 0 { return }
      // Not every file system has hard links.
      reason = errno == EEXIST ? EEXIST : Self.copy(path, to: other)
    }
    if reason != 0 { throw Unkept(path: path, reason: reason).error }
  }

  /// Returns the paths of the files that ``keepFiles(of:with:)`` has kept of keyrings with a label, sorted.
  ///
  /// The label is in the file. Its name is that of two groups where it ends in a number, so it counts only where the
  /// file can't be read.
  package func kept(labelled label: String) -> [String] {
    names.filter { name in
      let info = FileReader().information("\(folder)/\(name)", followsLink: false)
      guard let suffix = name.ranges(of: ".keyring.lost").last, let info, info.st_mode & S_IFMT == S_IFREG
      else { return false }
      let beginning = FileReader().beginning(of: "\(folder)/\(name)")
      if let kept = beginning.flatMap(KeyringFileFormat.label) { return kept == label }
      return GnomeKeyringFile(label: String(name[..<suffix.lowerBound])).hasName(label)
    }.map { "\(folder)/\($0)" }.sorted()
  }

  /// Copies a file onto the disk.
  ///
  /// - Returns: The system's error number, after which there is no copy; zero for success.
  private static func copy(_ path: String, to other: String) -> Int32 {
    let source = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard source >= 0 else { return errno }
    defer { close(source) }
    let copy = unsafe open(other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard copy >= 0 else { return errno }
    defer { close(copy) }
    var count = 0
    repeat {
      count = sendfile(copy, source, nil, 1 << 20)
    } while count > 0 || count < 0 && errno == EINTR
    if count == 0, fsync(copy) == 0 { return 0 }
    let reason = errno
    unsafe unlink(other)
    return reason
  }
}
