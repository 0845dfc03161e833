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
}
