// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Keyring file format")
  struct KeyringFileFormatTests {
    private let group: AccessGroup
    private let files = KeyringFiles(of: nil)
    private var file: GnomeKeyringFile { GnomeKeyringFile(label: group.name) }

    init() throws { group = try AccessGroup(PrivateSession.uniqueGroup()) }

    @Test("A file of the daemon is complete, and a part of it is not")
    func parts() async throws {
      try await ServiceSupport.write("kept", to: ServiceSupport.store().unrestrictedBackend(for: group))
      #expect(files.damage(of: file) == nil && files.isEncrypted(file) == true)
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: files.path(of: file))))
      #expect(KeyringFileFormat.isWhole(bytes))
      for count in 0..<bytes.count {
        #expect(!KeyringFileFormat.isWhole(Array(bytes[..<count])), "\(count) bytes")
      }
    }

    @Test("A keyring without a password is complete plain text")
    func plain() {
      let plain = Array("[keyring]\ndisplay-name=aaa\n".utf8)
      #expect(KeyringFileFormat.isWhole(plain) && !KeyringFileFormat.isEncrypted(plain))
    }

    @Test("A plain keyring's lines may end with CR and LF", arguments: ["\n", "\r\n"])
    func lineEnds(end: String) {
      let lines = [
        "[keyring]", "display-name=[8]", "ctime=7", "mtime=0", "", "[3]", "secret=[9]", "",
        "[3:attribute0]", "name=kind", "type=string", "value=group", "", "[4]", "secret=s",
      ]
      let bytes = Array(lines.joined(separator: end).utf8)
      #expect(KeyringFileFormat.items(bytes) == ["3", "4"])
      #expect(KeyringFileFormat.attributes(bytes)?["3"]?.contains("kind") == true)
      #expect(KeyringFileFormat.attributes(bytes)?["4"] == [])
      #expect(KeyringFileFormat.times(bytes) == [7])
    }

    @Test("The items and the times of a file are those that the daemon lists", arguments: ["own", ""])
    func items(password: String) async throws {
      let client = SecretServiceClient()
      let collection = try #require(
        try await client.createCollection(label: "\(group.name).items", password: Secret(password)))
      var names: Set<String> = []
      for _ in 0..<3 {
        let item = try await client.createItem(
          in: collection, label: "[9]", attributes: ["a": "[8]"], schema: ItemAttributes.schema,
          secret: Secret("[7]"), replaces: false)
        names.insert(item.name)
      }
      let keyring = try #require(GnomeKeyringFile(collection: collection))
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: files.path(of: keyring))))
      #expect(KeyringFileFormat.isEncrypted(bytes) == !password.isEmpty)
      #expect(KeyringFileFormat.items(bytes) == names && names.count == 3)
      let times = try await client.times(ofCollection: collection)
      #expect(KeyringFileFormat.times(bytes) == times && !times.isEmpty)
      let daemons = try await client.keyringFiles
      #expect(try await daemons.replacement(of: collection, client) == nil)
      try Data(contentsOf: URL(filePath: files.path(of: KeyringFiles.login)))
        .write(to: URL(filePath: files.path(of: keyring)))
      #expect(try await daemons.replacement(of: collection, client)?.path == files.path(of: keyring))
      try await client.deleteCollection(collection, .never)
    }

    @Test("A collection's password is distinguished from another and from none, also while it is unlocked")
    func passwords() async throws {
      let client = SecretServiceClient()
      for password in ["own", ""] {
        let collection = try #require(
          try await client.createCollection(label: "\(group.name)-\(password)", password: Secret(password)))
        #expect(try await client.isPassword(Secret(password), of: collection))
        #expect(try await !client.isPassword(Secret("other"), of: collection))
        try await client.deleteCollection(collection, .never)
      }
    }
  }
}
