// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.KeePassXC {
  @Suite("KeePassXC entries", .serialized)
  struct EntryTests {
    private let name = PrivateSession.uniqueGroup()
    private let group: AccessGroup
    private let backend: SecretServiceBackend

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(name)
      backend = ServiceSupport.store().unrestrictedBackend(for: group)
    }

    /// The group's entries of a kind, as another program reads them.
    private func entries(_ kind: String) async throws -> [[String: String]] {
      let json = try await ServiceSupport.python(
        """
        print(json.dumps([
            {**i.get_attributes(), "label": i.get_label(), "secret": i.get_secret().decode(), "path": i.item_path}
            for i in items(group=sys.argv[1], kind=sys.argv[2])]))
        """, name, kind)
      return try JSONDecoder().decode([[String: String]].self, from: Data(json.utf8))
    }

    private func write(_ text: String, _ key: RecordKey) async throws {
      let document = try ServiceSupport.document(text)
      try await backend.update(key) { $0 = document }
    }

    @Test("A removed record is emptied without a dialog and no longer names its owner")
    func removed() async throws {
      let key = RecordKey.credentials(homeAccountID: "ada", environment: "id.contoso.com", clientID: "mail")
      try await write("secret", key)
      try await backend.remove(key)
      #expect(try await backend.record(for: key) == nil)
      let recycled = try await entries("retired")
      #expect(recycled.map { $0["secret"] } == [""])
      #expect(recycled.map { $0["label"] } == ["Removed"])
      for name in ["home_account_id", "environment", "client_id"] {
        #expect(recycled.map { $0[name] } == [""])
      }
    }

    @Test("The next record of any kind reuses the emptied entry with its own label")
    func reused() async throws {
      try await write("first", .groupData("first"))
      let paths = try await entries("group-data").map { $0["path"] }
      try await backend.remove(.groupData("first"))
      try await write("second", .family(homeAccountID: "ada", environment: "id.contoso.com", familyID: "1"))
      let reused = try await entries("family")
      #expect(reused.map { $0["path"] } == paths)
      #expect(reused.map { $0["label"] } == ["Sign-in for the app family 1 at id.contoso.com"])
      #expect(try await entries("retired").isEmpty)
      try await write("third", .groupData("third"))
      #expect(try await entries("group-data").count == 1)
    }

    @Test("Eight apps that write at once never reuse one emptied entry twice")
    func reusedOnce() async throws {
      for number in 0..<4 { try await write("old", .groupData("old \(number)")) }
      for number in 0..<4 { try await backend.remove(.groupData("old \(number)")) }
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for number in 0..<8 {
          tasks.addTask { [group] in
            let document = try ServiceSupport.document("new \(number)")
            try await SecretStore().unrestrictedBackend(for: group).update(.groupData("new \(number)")) {
              $0 = document
            }
          }
        }
        try await tasks.waitForAll()
      }
      #expect(try await backend.records(matching: .all(.groupData)).count == 8)
      #expect(try await entries("retired").isEmpty)
    }

    @Test("Another program's empty entry is filled and not replaced, which would open a dialog")
    func foreignEntry() async throws {
      try await PlantedItem.store([], for: ServiceSupport.note, in: group)
      let paths = try await entries("group-data").map { $0["path"] }
      try await ServiceSupport.write("ours", to: backend)
      #expect(try await entries("group-data").map { $0["path"] } == paths)
      #expect(try await ServiceSupport.read(backend) == "ours")
    }

    @Test(
      "If KeePassXC confirms access to other programs' entries, another program's group throws groupLocked")
    func askingBeforeReading() async throws {
      try await ServiceSupport.write("kept", to: backend)
      try await confirmAccess(true)
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      try await confirmAccess(false)
      #expect([reading, writing] == [.groupLocked, .groupLocked])
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    private func confirmAccess(_ confirms: Bool) async throws {
      try await PrivateSession.keyring("stop")
      let folder = try #require(ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"])
      let file = URL(filePath: folder).appending(path: "keepassxc.ini")
      let settings = try String(contentsOf: file, encoding: .utf8)
        .replacing("ConfirmAccessItem=\(!confirms)", with: "ConfirmAccessItem=\(confirms)")
      try settings.write(to: file, atomically: true, encoding: .utf8)
      try await PrivateSession.keyring("start")
    }
  }
}
