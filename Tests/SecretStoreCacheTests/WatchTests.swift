// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import Testing

extension ServiceTests {
  @Suite("Looking at a watched group", .serialized)
  struct WatchTests {
    let store = SecretStore()
    let group: AccessGroup
    let backend: SecretServiceBackend

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
      backend = store.unrestrictedBackend(for: group)
    }

    @Test("opens a locked group the first time, and then leaves a lock alone")
    func opensOnce() async throws {
      try await ServiceSupport.write("kept", to: backend)
      try await store.lockGroup(group)
      let watch = await backend.watch()
      let first = await watch.look(for: [.all(.groupData)])
      #expect(first.state == .open(place: "dedicated"))
      #expect(first.records.map(\.key) == [ServiceSupport.note])
      try await store.lockGroup(group)
      let second = await watch.look(for: [.all(.groupData)])
      #expect(second.state == .locked)
      #expect(second.records.isEmpty)
      #expect(try await ServiceSupport.read(backend) == "kept")
      #expect(await watch.look(for: [.all(.groupData)]).state == .open(place: "dedicated"))
    }

    @Test("never undoes a lock that comes while it looks")
    func lockInTheMiddle() async throws {
      let watch = await backend.watch()
      for round in 1...50 {
        try await ServiceSupport.write("\(round)", to: backend)
        _ = await watch.look(for: [.all(.groupData)])
        async let looks: Void = lookUntilLocked(watch)
        // Another moment of a look each time.
        try await Task.sleep(for: .microseconds(round * 100))
        try await store.lockGroup(group)
        await looks
        #expect(try await store.groups().first { $0.group == group }?.isLocked == true, "round \(round)")
      }
    }

    @Test("finds the records of a group whose marker is spoilt, or gone")
    func withoutMarker() async throws {
      try await ServiceSupport.write("kept", to: backend)
      let watch = await backend.watch()
      let before = await watch.look(for: [.all(.groupData)])
      for spoiling in ["item.set_secret(b'spoilt')", "item.delete()"] {
        try await ServiceSupport.python(
          "[\(spoiling) for item in items(kind='group', group=sys.argv[1])]", group.name)
        let view = await watch.look(for: [.all(.groupData)])
        #expect(view.state == before.state, "\(spoiling)")
        #expect(view.records.map(\.key) == [ServiceSupport.note], "\(spoiling)")
      }
    }

    private func lookUntilLocked(_ watch: any GroupWatch) async {
      for _ in 1...20 where await watch.look(for: [.all(.groupData)]).state == .locked { return }
    }
  }
}
