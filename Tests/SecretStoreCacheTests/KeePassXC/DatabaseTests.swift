// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.KeePassXC {
  @Suite("Databases that are open, locked or one of several", .serialized)
  struct DatabaseTests {
    private let name = PrivateSession.uniqueGroup()
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(name)
    }

    /// A backend that gives up soon: KeePassXC would ask for a locked database's password, and nobody answers.
    private func backend(_ group: AccessGroup) -> SecretServiceBackend {
      ServiceSupport.store().unrestrictedBackend(for: group)
    }

    @Test("a locked database opens no dialog: its group is groupLocked, known or not, and is not lost")
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

    @Test("a locked database hides whether a group exists: it is groupLocked, and not absent")
    func hidden() async throws {
      try await PrivateSession.keyring("lock")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend(group)) }
      try await PrivateSession.keyring("restart")
      #expect(reading == .groupLocked)
      #expect(try await ServiceSupport.read(backend(group)) == nil)
    }

    @Test("beside another locked database a group goes on as before, and a new one can't be made")
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

    @Test("a database that opens after a restart ends no app that was connected before")
    func opensAfterRestart() async throws {
      let backend = backend(group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("a database of the group's name is the group's own, wherever the default collection is")
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
      "an app that asks for a shared group gets it beside a database of its name, any other in it",
      arguments: [GroupPlacement.shared, .dedicatedIfSilent, .dedicated])
    func placed(policy: GroupPlacement) async throws {
      try await PrivateSession.keyring("add", name)
      var options = SecretStoreOptions()
      options.placement = policy
      try await ServiceSupport.write(
        "kept", to: SecretStore(options: options).unrestrictedBackend(for: group))
      let made = try await SecretStore().groups().first { $0.group == group }
      try await PrivateSession.keyring("remove", name)
      #expect(made?.collection == (policy == .shared ? "Passwords" : name))
      #expect(made?.placement == (policy == .shared ? .shared : .dedicated))
    }

    @Test("a database of the group's name is emptied with the group: closed, it would bring everything back")
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
