// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// gnome-keyring's files on disk, for what the daemon does not state: the size of a keyring, and why it is absent.
///
/// The daemon skips a file that it can't read, and creates another one beside it. In a sandbox the folder is not
/// visible, and then nothing is known.
package struct KeyringFiles: Sendable, Hashable {
  /// The login keyring's file.
  package static let login = GnomeKeyringFile(label: "login")

  /// The name of gnome-keyring's program.
  package static let daemonName = "gnome-keyring-daemon"

  /// The login keyring's collection.
  package static let loginCollection: ObjectPath = "/org/freedesktop/secrets/collection/login"

  package let folder: String

  /// Whether the folder is only likely to be the daemon's.
  package private(set) var isGuess = false

  /// Whether the daemon is gnome-keyring; another provider may leave gnome-keyring's files as they were.
  private(set) var isOfGnomeKeyring = false

  /// The names of the variables that lead a daemon to its folder.
  package static let variableNames = ["XDG_DATA_HOME", "HOME"]

  /// The variables that lead a daemon to the folder; empty where only the folder is known.
  package private(set) var variables: [String: String] = [:]

  /// Creates an instance for the files in a folder.
  package init(folder: String) { self.folder = folder }

  /// Creates an instance for the files of a daemon with these environment variables.
  ///
  /// A daemon that finds no folder in the user's data directory uses the one of earlier versions, where there is one.
  package init(environment: [String: String]) {
    let data = DataDirectories(environment: environment).home ?? "/nonexistent"
    let earlier = environment["HOME"].map { "\($0)/.gnome2/keyrings" }
    if let earlier, !Self.isFolder("\(data)/keyrings"), Self.isFolder(earlier) {
      self.init(folder: earlier)
    } else {
      self.init(folder: "\(data)/keyrings")
    }
    variables = environment.filter { Self.variableNames.contains($0.key) && !$0.value.isEmpty }
  }

  /// Creates an instance for the files of the daemon that owns the bus name of the Secret Service.
  ///
  /// The daemon's variables may differ from this process's, as where a shell or a snap sets `XDG_DATA_HOME`. Those
  /// of a daemon with file capabilities can't be read: then the first usual folder with a login keyring counts.
  ///
  /// - Parameters:
  ///   - daemon: The process that the bus names; in a sandbox it may be another one here.
  ///   - environment: The variables of this process.
  package init(of daemon: SystemProcess?, environment: [String: String] = ProcessEnvironment.current) {
    let isGnomeKeyring = SystemProcess.isName(daemon?.name, of: Self.daemonName)
    if isGnomeKeyring, var variables = daemon?.environment, !variables.isEmpty {
      // So does GLib.
      variables["HOME"] = variables["HOME"] ?? FileOwner.home(of: geteuid())
      self.init(environment: variables)
      isOfGnomeKeyring = true
      return
    }
    let ofRun = environment["SSO_CACHE_KEYRING"].map { Self(environment: ["XDG_DATA_HOME": $0]) }
    let named = [ofRun, Self(environment: environment)].compactMap(\.self)
    let homes = [{ environment["HOME"] }, { FileOwner.home(of: geteuid()) }]
    let inHomes = homes.lazy.compactMap { $0() }.map { Self(environment: ["HOME": $0]) }
    let isLikely = { (files: Self) in files.exists(Self.login) }
    self = named.first(where: isLikely) ?? inHomes.first(where: isLikely) ?? named[0]
    isGuess = true
    isOfGnomeKeyring = isGnomeKeyring
  }

  private static func isFolder(_ path: String) -> Bool {
    FileReader().information(path, followsLink: true).map { $0.st_mode & S_IFMT == S_IFDIR } == true
  }

  /// The file in which a person puts a backup of the login keyring, to be opened beside it.
  package static let loginBackup = GnomeKeyringFile(label: "login-backup")

  package func path(of file: GnomeKeyringFile) -> String { "\(folder)/\(file.stem).keyring" }

  /// The names of all files; none where the folder is not visible.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

  /// The names of the keyrings' files.
  package var keyrings: Set<String> { Set(names.filter { $0.hasSuffix(".keyring") }) }

  /// The keyrings.
  package var all: Set<GnomeKeyringFile> {
    Set(keyrings.map { GnomeKeyringFile(label: String($0.dropLast(".keyring".count))) })
  }

  /// Whether something is mounted at the folder itself.
  package var isMountPoint: Bool {
    PrivateFolder.resolved(folder).map { $0 == MountTable.point(of: $0) } == true
  }

  /// The number of links that the daemon has left beside a keyring's file when that was a link.
  package var leftLinks: Int {
    names.count { name in
      name.contains(".keyring.temp-")
        && FileReader().information("\(folder)/\(name)", followsLink: false).map {
          $0.st_mode & S_IFMT == S_IFLNK
        } == true
    }
  }

  /// Returns whether a file is there, as far as the folder is visible.
  package func exists(_ file: GnomeKeyringFile) -> Bool {
    FileReader().information(path(of: file), followsLink: true) != nil
  }

  /// A value that changes when the daemon writes a file, which it replaces by another one.
  package func version(of file: GnomeKeyringFile) -> String? {
    FileReader().information(path(of: file), followsLink: true).map {
      "\($0.st_ino) \($0.st_mtim.tv_sec) \($0.st_mtim.tv_nsec)"
    }
  }

  /// Returns whether a file was written since a time, in seconds since 1970.
  package func isWritten(_ file: GnomeKeyringFile, since time: Int) -> Bool {
    guard let info = FileReader().information(path(of: file), followsLink: true) else { return false }
    return info.st_mtim.tv_sec >= time
  }

  /// Returns the keyring files with a label, including those with the numbers that the daemon appends to a name in use.
  package func files(labelled label: String) -> Set<GnomeKeyringFile> {
    all.filter { $0.hasName(label) }
  }

  /// Returns the size in bytes of an unlocked collection's file, which the daemon writes before it replies to a change.
  ///
  /// - Returns: The size; `nil` where the file is not visible, or the collection has none. Where a file of the
  ///   collection's name can't be read, the collection's own has a number behind the name: the largest one counts.
  func size(of collection: ObjectPath) -> Int? {
    guard let file = GnomeKeyringFile(collection: collection) else { return nil }
    return files(labelled: file.stem).compactMap { file in
      var info = stat()
      return unsafe stat(path(of: file), &info) == 0 ? Int(info.st_size) : nil
    }.max()
  }
}
