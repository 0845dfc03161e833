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

  /// Keeps a keyring's file under another name, which no daemon reads, before the keyring is deleted.
  ///
  /// Where the daemon could not read a file of this name, the keyring's own has a number behind the name: all of them are
  /// kept but those with another keyring's label. Where the file is not visible, as in a sandbox, nothing is kept.
  ///
  /// - Throws: `storageFailed` when a file is there and was not kept.
  func keepFiles(of file: GnomeKeyringFile) throws(SecretStoreError) {
    let all = damage(of: file) == nil ? [file] : files(labelled: file.stem)
    for other in all.sorted(by: { path(of: $0) < path(of: $1) }) {
      let path = path(of: other)
      let label = FileReader().beginning(of: path).flatMap(KeyringFileFormat.label)
      if let label, other != file, label != file.stem { continue }
      guard let info = FileReader().information(path, followsLink: true), info.st_mode & S_IFMT == S_IFREG
      else { continue }
      try keep(path)
    }
  }

  private func keep(_ path: String) throws(SecretStoreError) {
    var reason = EEXIST
    for number in 1..<1000 where reason == EEXIST {
      let other = "\(path).lost\(number > 1 ? "-\(number)" : "")"
      if unsafe link(path, other) == 0 { return }
      // Not every file system has hard links.
      reason = errno == EEXIST ? EEXIST : Self.copy(path, to: other)
    }
    if reason != 0 { throw Unkept(path: path, reason: reason).error }
  }

  /// Returns the paths of the files that ``keepFiles(of:)`` has kept of keyrings with a label, sorted.
  ///
  /// The label is in the file. Its name is that of two groups where it ends in a number, so it counts only where the file
  /// can't be read.
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
