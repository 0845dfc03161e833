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
    Damage("a pipe", "it is no regular file") { path in
      #expect(unsafe mkfifo(path, 0o600) == 0)
    },
    Damage("an empty file", "it is empty") { try Data().write(to: URL(filePath: $0)) },
    Damage("a file that was overwritten", "it is damaged") { path in
      try Data("hello".utf8).write(to: URL(filePath: path))
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
