// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A keyring's file that exists but that the daemon has not read, or the damaged folder of all keyrings.
package struct KeyringDamage: ErrorWithRemedy, Sendable, Hashable {
  /// The kind of damage.
  enum Kind: Sendable, Hashable {
    /// The file is the user's own, but its mode denies access.
    case denied
    /// The file belongs to another user, with this name, and denies access.
    case ofOthers(String)
    /// The file is of a version that the daemon can't read.
    case otherVersion
    /// The file can't be read for another reason.
    case unreadable(FileReader.Refusal)
    /// The file is a symbolic link whose target does not exist.
    case elsewhere(String)
    /// A folder, a socket or a device.
    case notRegular
    case empty
    /// A FIFO, whose writer the daemon waits for while it replies to nobody.
    case fifo
    case cutOrOverwritten
    /// The file has the content of another keyring, which has this label.
    case copy(of: String)
    /// The file has the content of the keyring with this label, and that one's file has another keyring's.
    case exchanged(with: String, path: String)
    /// The file is complete now, but was not when the daemon started.
    case notRead
    /// The file was replaced while the daemon has its content in memory.
    case replaced
    /// The folder is the user's own, but its mode denies access.
    case folderDenied
    /// A folder above it is the user's own, but its mode denies access.
    case folderAboveDenied
    /// The folder, or a folder above it, belongs to another user, with this name, and denies access. It can be taken
    /// back where it is the user's by its place: below the home, and reached by no link.
    case folderOfOthers(String, canBeTakenBack: Bool)
    /// The folder, or a folder above it, is a symbolic link whose target does not exist.
    case folderElsewhere(String)
    /// A file has the place of the folder, or of a folder above it.
    case noFolder
  }

  package let path: String
  let kind: Kind

  /// Whether the file's owner or mode keeps this user from it.
  package var isClosed: Bool {
    switch kind {
    case .denied, .ofOthers: true
    default: false
    }
  }

  /// The damage, as the end of a sentence about the file.
  package var reason: String {
    switch kind {
    case .denied: "its mode doesn't let you read it"
    case .ofOthers(let owner): "it belongs to \(owner), and its mode doesn't let you read it"
    case .otherVersion: "it is damaged, or of a version that the keyring daemon can't read"
    case .unreadable(let refusal): "it \(refusal.reason)"
    case .notRegular: "it \(FileReader.Refusal.notRegular.reason)"
    case .empty: "it is empty"
    case .fifo: "it is a FIFO, for whose writer the keyring daemon waits"
    case .cutOrOverwritten: "it is damaged"
    case .copy(let label): "it is a copy of the keyring \(label)"
    case .exchanged(let label, let path): "it has the keyring \(label), and \(path) has another one"
    case .notRead:
      "it was put there or mended after the keyring daemon started, which does not open it before it starts again"
    case .replaced: "the keyring daemon has another one in memory, which replaces it with the next save"
    case .folderDenied: "its mode doesn't let you look into it or write there"
    case .folderAboveDenied: "its mode doesn't let you look into it"
    case .noFolder: "it is no folder"
    case .folderOfOthers(let owner, _):
      "it belongs to \(owner), and its mode doesn't let you look into it or write there"
    case .elsewhere(let target), .folderElsewhere(let target): "it is a link to \(target), which is not there"
    }
  }

  /// The steps that restore the content; none of them removes anything that is not lost.
  ///
  /// After a login, the keyring of an open group whose password is gone can't be opened.
  package var remedy: String {
    switch kind {
    case .notRead: "Mend what else sso-cache doctor names, then \(NewLogin.words)."
    case .replaced:
      "Before anything is saved, \(NewLogin.words): the file is read then, and what was saved since it was put there"
        + " is lost."
    case .fifo: releasing
    default:
      remedy(then: "mend what else sso-cache doctor names, and \(NewLogin.words).", movingAway: "the file")
    }
  }

  /// Returns the steps that restore the content.
  ///
  /// - Parameters:
  ///   - next: The step after them.
  ///   - lost: What to move away where the content is lost.
  package func remedy(then next: String, movingAway lost: String) -> String {
    switch kind {
    case .denied: "chmod 600 \(ShellWord.quoted(path)), then \(next)"
    case .ofOthers: "sudo chown -h $(id -u) \(ShellWord.quoted(path)), then \(next)"
    case .otherVersion:
      "Put a backup of \(path) in its place, or install the gnome-keyring that wrote it, then \(next)"
        + " Where there is neither, what was in it is lost: move \(lost) away, and sign in again with your apps."
    case .notRead, .replaced: next
    case .fifo: "\(releasing), then \(next)"
    case .folderDenied: "chmod 700 \(ShellWord.quoted(path)), then \(next)"
    case .folderAboveDenied: "chmod u+rwx \(ShellWord.quoted(path)), then \(next)"
    case .folderOfOthers(_, canBeTakenBack: true):
      "sudo chown -h $(id -u) \(ShellWord.quoted(path)), then \(next)"
    case .folderOfOthers:
      "Find out by ls -ld \(ShellWord.quoted(path)) whose it is, make it yours again, then \(next)"
    case .noFolder:
      "mv \(ShellWord.quoted(path)) \(ShellWord.aside(path)), put the folder back where you have it, then "
        + next
    case .elsewhere(let target), .folderElsewhere(let target):
      "Bring back \(target), as by mounting its disk, then \(next)"
    case .notRegular:
      "mv \(ShellWord.quoted(path)) \(ShellWord.aside(path)), put "
        + backup(then: next, movingAway: lost)
    case .exchanged(_, let other):
      exchanging(with: other) + ", then \(next)"
    case .unreadable: "Find out why \(path) can't be read, and correct that; then \(next)"
    case .empty, .cutOrOverwritten, .copy: "Put " + backup(then: next, movingAway: lost)
    }
  }

  /// Returns the steps from a backup on, and what to do without one.
  private func backup(then next: String, movingAway lost: String) -> String {
    "a backup of \(path) in its place, then \(next) Where there is none, what was in it is lost:"
      + " move \(lost) away, and sign in again with your apps."
  }

  /// Returns the command that exchanges the file with another one.
  private func exchanging(with other: String) -> String {
    let (file, aside) = (ShellWord.quoted(path), ShellWord.aside(path))
    let otherFile = ShellWord.quoted(other)
    return "mv \(file) \(aside) && mv \(otherFile) \(file) && mv \(aside) \(otherFile)"
  }

  /// The command that moves a FIFO away, and releases a daemon that waits for a writer.
  private var releasing: String {
    let aside = ShellWord.aside(path)
    return "mv \(ShellWord.quoted(path)) \(aside) && : <>\(aside)"
  }

  /// Returns the error of a call that needs the file.
  ///
  /// - Parameter role: What the call needs it for.
  package func error(_ role: String) -> SecretStoreError {
    SecretStoreError(
      .storageFailed, "\(subject) \(path) is there, and \(reason): \(role).", underlying: self)
  }

  private var subject: String {
    switch kind {
    case .folderDenied: "The folder of keyrings"
    case .folderElsewhere, .noFolder, .folderOfOthers:
      path.hasSuffix("/keyrings") ? "The folder of keyrings" : "The folder"
    case .folderAboveDenied: "The folder"
    default: "The keyring file"
    }
  }
}
