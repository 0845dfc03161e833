// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

extension ServiceTests.KeePassXC {
  @Suite("KeePassXC databases", .serialized)
  struct DatabaseTests {
    private let group: AccessGroup
    private var name: String { group.name }

    init() throws { group = try ServiceSupport.newGroup() }

    /// A back end with the default time limit: KeePassXC prompts for a locked database's password, and nobody types it.
    private func backend(_ group: AccessGroup) -> SecretServiceBackend {
      ServiceSupport.store().unrestrictedBackend(for: group)
    }

    @Test("A locked database opens no dialog: its group, known or not, throws groupLocked and is not lost")
    func locked() async throws {
      let backend = backend(group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("lock")
      for backend in [backend, self.backend(group)] {
        let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
        let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
        let listing = try await ServiceSupport.code {
          _ = try await backend.records(matching: .all(.groupData))
        }
        let removing = try await ServiceSupport.code { try await backend.remove(ServiceSupport.note) }
        let deleting = try await ServiceSupport.code { try await SecretStore().deleteGroup(group) }
        #expect(
          [reading, writing, listing, removing, deleting] == Array(repeating: .groupLocked, count: 5))
      }
      let groups = try await SecretStore().groups()
      try await PrivateSession.keyring("restart")
      #expect(groups == [GroupSummary(group: nil, collection: "Passwords", placement: nil, isLocked: true)])
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("If KeePassXC confirms each access, doctor names its setting; without the setting all is readable")
    func asking() async throws {
      try await ServiceSupport.write("kept", to: backend(group))
      try await set("ConfirmAccessItem", true)
      let diagnosis = await ServiceSupport.store().diagnose([group])
      try await set("ConfirmAccessItem", false)
      let check = try #require(diagnosis.checks.first { $0.name == "default-collection" })
      #expect(check.code == .groupLocked)
      #expect(check.remedy.contains("Secret Service Integration"))
      #expect(try await ServiceSupport.read(backend(group)) == "kept")
    }

    /// Changes a setting that KeePassXC reads at its start.
    private func set(_ name: String, _ isOn: Bool) async throws {
      try await PrivateSession.keyring("stop")
      let folder = try #require(ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"])
      let file = URL(filePath: "\(folder)/keepassxc.ini")
      let settings = try String(contentsOf: file, encoding: .utf8)
      let changed = settings.replacing("\(name)=\(!isOn)", with: "\(name)=\(isOn)")
      #expect(changed != settings)
      try changed.write(to: file, atomically: true, encoding: .utf8)
      try await PrivateSession.keyring("start")
    }

    @Test(
      "A locked database hides whether a group exists: it throws groupLocked and does not count as absent")
    func hidden() async throws {
      try await PrivateSession.keyring("lock")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend(group)) }
      try await PrivateSession.keyring("restart")
      #expect(reading == .groupLocked)
      #expect(try await ServiceSupport.read(backend(group)) == nil)
    }

    @Test("Beside another locked database a group works as before, and a new one cannot be created")
    func otherLocked() async throws {
      try await ServiceSupport.write("kept", to: backend(group))
      let other = PrivateSession.uniqueGroup()
      try await PrivateSession.keyring("add", other)
      try await PrivateSession.keyring("restart")
      let read = try await ServiceSupport.read(backend(group))
      try await ServiceSupport.write("changed", to: backend(group))
      let new = try AccessGroup(PrivateSession.uniqueGroup())
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend(new)) }
      let making = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend(new)) }
      try await PrivateSession.keyring("remove", other)
      #expect(read == "kept")
      #expect([reading, making] == [.groupLocked, .groupLocked])
      #expect(try await ServiceSupport.read(backend(group)) == "changed")
    }

    @Test("A database that opens after a restart does not terminate an app connected before")
    func opensAfterRestart() async throws {
      let backend = backend(group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A database with the group's name is the group's own, wherever the default collection is")
    func ownDatabase() async throws {
      try await PrivateSession.keyring("add", name)
      try await ServiceSupport.write("kept", to: backend(group))
      let made = try #require(try await SecretStore().groups().first { $0.group == group })
      let read = try await ServiceSupport.read(backend(group))
      try await PrivateSession.keyring("restart")
      let locked = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend(group)) }
      try await PrivateSession.keyring("remove", name)
      #expect(made == GroupSummary(group: group, collection: name, placement: .dedicated, isLocked: false))
      #expect(read == "kept")
      #expect(locked == .groupLocked)
      #expect(try await ServiceSupport.read(backend(group)) == nil)
    }

    @Test(
      "An app that requests a shared group gets it, although a database has its name",
      arguments: [GroupPlacement.shared, .dedicatedIfSilent, .dedicated])
    func placed(policy: GroupPlacement) async throws {
      let made = try await ServiceSupport.group(group, besideItsNameWith: policy)
      #expect(made?.collection == (policy == .shared ? "Passwords" : name))
      #expect(made?.placement == (policy == .shared ? .shared : .dedicated))
    }

    @Test("A database with the group's name is emptied with the group, so that its entries cannot return")
    func deleted() async throws {
      try await PrivateSession.keyring("add", name)
      try await ServiceSupport.write("goes", to: backend(group))
      #expect(try await SecretStore().deleteGroup(group))
      let left = try await ServiceSupport.python(
        """
        print(json.dumps([[i.get_attributes()["kind"], i.get_secret().decode()] for i in items(group=sys.argv[1])]))
        """, name)
      let read = try await ServiceSupport.read(backend(group))
      try await ServiceSupport.write("new", to: backend(group))
      let made = try await SecretStore().groups().first { $0.group == group }
      try await PrivateSession.keyring("remove", name)
      #expect(left == "[[\"retired\", \"\"], [\"retired\", \"\"]]\n")
      #expect(read == nil)
      #expect(made?.collection == name)
    }
  }
}
