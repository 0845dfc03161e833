// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.EveryProvider {
  @Suite("Lifecycle of a group", .serialized)
  struct GroupLifecycleTests {
    let name: String
    let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      name = PrivateSession.uniqueGroup()
      group = try AccessGroup(name)
    }

    @Test("A read creates no group; the first save creates one, and the list has its placement")
    func madeOnFirstSave() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      #expect(try await backend.records(matching: .all(.credentials)).isEmpty)
      #expect(try await SecretStore().groups().contains { $0.group == group } == false)
      try await ServiceSupport.write("first", to: backend)
      let made = try #require(try await SecretStore().groups().first { $0.group == group })
      #expect(made.placement == (made.collection == name ? .dedicated : .shared))
      #expect(!made.isLocked)
    }

    @Test("Groups with one name and two publishers stay separate, also after a restart")
    func publishersApart() async throws {
      let store = SecretStore()
      let contoso = store.unrestrictedBackend(for: try AccessGroup(name, publisher: Publisher("contoso")))
      let fabrikam = store.unrestrictedBackend(for: try AccessGroup(name, publisher: Publisher("fabrikam")))
      try await ServiceSupport.write("contoso's", to: contoso)
      #expect(try await ServiceSupport.read(fabrikam) == nil)
      try await ServiceSupport.write("fabrikam's", to: fabrikam)
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(contoso) == "contoso's")
      #expect(try await ServiceSupport.read(fabrikam) == "fabrikam's")
    }

    @Test("A deleted group is absent, its namesake of another publisher remains, and it can be created again")
    func deleted() async throws {
      let store = SecretStore()
      let namesake = store.unrestrictedBackend(for: try AccessGroup(name, publisher: Publisher("contoso")))
      try await ServiceSupport.write("stays", to: namesake)
      let backend = store.unrestrictedBackend(for: group)
      try await ServiceSupport.write("goes", to: backend)
      #expect(try await store.deleteGroup(group))
      #expect(try await !store.deleteGroup(group))
      #expect(try await store.groups().contains { $0.group == group } == false)
      #expect(try await ServiceSupport.read(backend) == nil)
      try await ServiceSupport.write("again", to: backend)
      #expect(try await ServiceSupport.read(store.unrestrictedBackend(for: group)) == "again")
      #expect(try await ServiceSupport.read(namesake) == "stays")
    }

    @Test("The end of a sign-out of every account takes hints whose attributes name another record")
    func misnamedHints() async throws {
      let store = SecretStore()
      try await ServiceSupport.write("stays", to: store.unrestrictedBackend(for: group))
      let hints =
        #"{"SecretStoreCache":{"record":{"kind":"group-data","key":"account-hints"}},"Hints":{"a":"ada"}}"#
      try await PlantedItem.store(Array(hints.utf8), for: .groupData("Account-Hints"), in: group)
      #expect(try await store.completeSignOut(of: nil, in: group))
      #expect(try await !store.completeSignOut(of: nil, in: group))
      let left = try await ServiceSupport.python(
        "print(sum(b'account-hints' in item.get_secret() for item in items(group=sys.argv[1])))", name)
      #expect(left == "0\n")
      #expect(try await ServiceSupport.read(store.unrestrictedBackend(for: group)) == "stays")
    }

    @Test("Eight writers that start together create one group with one marker")
    func racingCreators() async throws {
      try await ServiceSupport.writeAtOnce(8, to: group)
      let markers = try await ServiceSupport.python(
        "print(len(items(kind='group', group=sys.argv[1])))", name)
      #expect(markers == "1\n")
      #expect(try await ServiceSupport.recordCount(of: group) == 8)
    }

    @Test(
      "A newer version's marker stops no write, and stays as it is",
      arguments: [["format": "2"], ["format": "2", "placement": "sharded"]])
    func newerFormat(_ change: [String: String]) async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("first", to: backend)
      let placement = change["placement"] ?? ""
      let changed = try await ServiceSupport.python(
        """
        for item in items(kind="group", group=sys.argv[1]):
            marker = {**json.loads(item.get_secret()), "format": 2, "more": [1]}
            if sys.argv[2]: marker["placement"] = sys.argv[2]
            item.set_secret(json.dumps(marker).encode(), "application/json")
            print(item.get_secret().decode())
        """, name, placement)
      let document = try ServiceSupport.document("second")
      try await SecretStore().unrestrictedBackend(for: group).update(.groupData("new")) { $0 = document }
      #expect(try await ServiceSupport.recordCount(of: group) == 2)
      let markers = try await ServiceSupport.python(
        "for item in items(kind='group', group=sys.argv[1]): print(item.get_secret().decode())", name)
      #expect(markers == changed)
    }
  }
}
