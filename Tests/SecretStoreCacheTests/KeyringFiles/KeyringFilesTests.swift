// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import SecretStoreCache

@Suite("Keyring files")
struct KeyringFilesTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String?
    let make: @Sendable (String) throws -> Void

    init(_ testDescription: String, _ reason: String?, _ make: @escaping @Sendable (String) throws -> Void) {
      self.testDescription = testDescription
      self.reason = reason
      self.make = make
    }
  }

  private static let damages = [
    Damage("nothing", nil) { _ in },
    Damage("a folder", "it is no regular file") { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    },
    Damage("a pipe", "it is a FIFO, for whose writer the keyring daemon waits") { path in
      #expect(unsafe mkfifo(path, 0o600) == 0)
    },
    Damage("an empty file", "it is empty") { try Data().write(to: URL(filePath: $0)) },
    Damage("a file that was overwritten", "it is damaged") { path in
      try Data("hello".utf8).write(to: URL(filePath: path))
    },
    Damage(
      "a keyring of another version", "it is damaged, or of a version that the keyring daemon can't read"
    ) { path in
      try Data("GnomeKeyring\n\r\0\n\u{1}\0\0\0".utf8).write(to: URL(filePath: path))
    },
    Damage("a file that is too large to be checked", nil) { path in
      try Data("hello".utf8).write(to: URL(filePath: path))
      #expect(unsafe truncate(path, 1 << 30) == 0)
    },
  ]

  @Test("The damage of a keyring file names the true cause", arguments: damages)
  func damage(_ damage: Damage) throws {
    let folder = try TemporaryFolder()
    let files = KeyringFiles(folder: folder.path)
    try damage.make(files.path(of: KeyringFiles.login))
    #expect(files.loginDamage?.reason == damage.reason)
  }

  struct Daemon: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    /// The variables of the daemon; `nil` where they can't be read.
    let variables: [String: String]?
    /// The variables of this process, and the folders with a login keyring, below a temporary folder.
    let own: [String: String]
    var logins: [String] = []
    let expected: String
  }

  private static let daemons = [
    Daemon(
      testDescription: "the daemon's own variables count", name: "gnome-keyring-d",
      variables: ["XDG_DATA_HOME": "/data"], own: ["XDG_DATA_HOME": "/other"],
      logins: ["/other/keyrings"], expected: "/data/keyrings"),
    Daemon(
      testDescription: "a daemon without XDG_DATA_HOME", name: "gnome-keyring-d",
      variables: ["HOME": "/home"],
      own: ["XDG_DATA_HOME": "/other"], expected: "/home/.local/share/keyrings"),
    Daemon(
      testDescription: "the folder of an earlier version", name: "gnome-keyring-d",
      variables: ["HOME": "/home"], own: [:], logins: ["/home/.gnome2/keyrings"],
      expected: "/home/.gnome2/keyrings"),
    Daemon(
      testDescription: "another program has the process id, as in a sandbox", name: "bash",
      variables: ["XDG_DATA_HOME": "/data"], own: ["XDG_DATA_HOME": "/other"], expected: "/other/keyrings"),
    Daemon(
      testDescription: "the variables of a daemon with file capabilities can't be read",
      name: "gnome-keyring-d",
      variables: nil, own: ["XDG_DATA_HOME": "/other", "HOME": "/home"],
      logins: ["/home/.local/share/keyrings"], expected: "/home/.local/share/keyrings"),
    Daemon(
      testDescription: "a run's keyring", name: "gnome-keyring-d", variables: nil,
      own: ["XDG_DATA_HOME": "/other", "SSO_CACHE_KEYRING": "/run"],
      logins: ["/run/keyrings", "/other/keyrings"], expected: "/run/keyrings"),
  ]

  @Test("The folder is the daemon's, whatever this process's variables are", arguments: daemons)
  func folder(_ daemon: Daemon) throws {
    let folder = try TemporaryFolder()
    func below(_ variables: [String: String]) -> [String: String] {
      variables.mapValues { "\(folder.path)\($0)" }
    }
    func write(_ text: String, to path: String) throws {
      let file = URL(filePath: "\(folder.path)/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    for login in daemon.logins { try write("", to: "\(login)/login.keyring") }
    try write("\(daemon.name)\n", to: "proc/7/comm")
    if let variables = daemon.variables {
      try write(below(variables).map { "\($0)=\($1)\0" }.joined(), to: "proc/7/environ")
    }
    let files = KeyringFiles(
      of: SystemProcess(7, in: "\(folder.path)/proc"), environment: below(daemon.own))
    #expect(files.folder == "\(folder.path)\(daemon.expected)")
  }

  @Test("A daemon without HOME has its files in the home of the user database")
  func withoutHome() throws {
    let folder = try TemporaryFolder()
    let process = "\(folder.path)/7"
    try FileManager.default.createDirectory(atPath: process, withIntermediateDirectories: false)
    try Data("gnome-keyring-d\n".utf8).write(to: URL(filePath: "\(process)/comm"))
    try Data("PATH=/usr/bin\0".utf8).write(to: URL(filePath: "\(process)/environ"))
    let files = KeyringFiles(of: SystemProcess(7, in: folder.path), environment: [:])
    let home = try #require(FileOwner.home(of: geteuid()))
    #expect([".local/share/keyrings", ".gnome2/keyrings"].map { "\(home)/\($0)" }.contains(files.folder))
  }

  @Test("Only a file without content is removed, and no file beside it", arguments: ["", "content"])
  func emptyFile(content: String) throws {
    let folder = try TemporaryFolder()
    let files = KeyringFiles(folder: folder.path)
    let path = files.path(of: KeyringFiles.login)
    try Data(content.utf8).write(to: URL(filePath: path))
    files.removeEmpty(KeyringFiles.login)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left == (content.isEmpty ? [] : ["login.keyring"]))
  }

  @Test("A link in the place of an empty file stays")
  func linkToEmptyFile() throws {
    let folder = try TemporaryFolder()
    let files = KeyringFiles(folder: folder.path)
    try Data().write(to: URL(filePath: "\(folder.path)/target"))
    let path = files.path(of: KeyringFiles.login)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "target")
    files.removeEmpty(KeyringFiles.login)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "target")
  }

  @Test("A keyring with a group's items is listed by its name, and without one that no group can have")
  func groupLabels() throws {
    let folder = try TemporaryFolder()
    let files = KeyringFiles(folder: folder.path)
    let names = [
      "kind", "publisher", "group", "home_account_id", "environment", "client_id", "family_id", "key",
    ]
    for (name, attributes) in [
      ("com.contoso.shared", names), ("Log\u{1b}[2J", names), ("com.contoso.other", ["kind"]),
      ("login", names),
    ] {
      var lines = ["[keyring]", "", "[1]", "secret=s3cr3t"]
      for (index, attribute) in attributes.enumerated() {
        lines += ["[1:attribute\(index)]", "name=\(attribute)"]
      }
      let content = lines.joined(separator: "\n") + "\n"
      try Data(content.utf8).write(to: URL(filePath: "\(folder.path)/\(name).keyring"))
    }
    #expect(files.groupLabels == [nil, "com.contoso.shared"])
  }

  @Test("A kept file belongs to the group whose name is in it, also where its own name ends in a number")
  func keptFiles() throws {
    let folder = try TemporaryFolder()
    let files = KeyringFiles(folder: folder.path)
    for (name, label) in [("x", "x"), ("x_1", "x"), ("x_2", "x_2"), ("x_3", nil)] {
      let header = "GnomeKeyring\n\r\0\n\0\0\0\0\0\0\0"
      let content = label.map { "\(header)\(UnicodeScalar(UInt8($0.utf8.count)))\($0)…" } ?? "overwritten"
      try Data(content.utf8).write(to: URL(filePath: "\(folder.path)/\(name).keyring.lost"))
    }
    func kept(_ label: String) -> [String] {
      files.kept(labelled: label).map { URL(filePath: $0).lastPathComponent }
    }
    #expect(kept("x") == ["x.keyring.lost", "x_1.keyring.lost", "x_3.keyring.lost"])
    #expect(kept("x_1") == [])
    #expect(kept("x_2") == ["x_2.keyring.lost"])
    #expect(kept("x_3") == ["x_3.keyring.lost"])
  }
}
