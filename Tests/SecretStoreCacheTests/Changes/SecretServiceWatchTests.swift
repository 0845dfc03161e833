// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import Testing

extension ServiceTests {
  @Suite("Secret Service watch", .serialized)
  struct SecretServiceWatchTests {
    let store = SecretStore()
    let group: AccessGroup
    let backend: SecretServiceBackend

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
      backend = store.unrestrictedBackend(for: group)
    }

    @Test("It unlocks a locked group the first time and then leaves it locked")
    func opensOnce() async throws {
      try await ServiceSupport.write("kept", to: backend)
      try await store.lockGroup(group)
      let watch = await backend.watch()
      let first = await watch.observe([.all(.groupData)])
      #expect(first.state == .open(placement: "dedicated"))
      #expect(first.records.map(\.key) == [ServiceSupport.note])
      try await store.lockGroup(group)
      let second = await watch.observe([.all(.groupData)])
      #expect(second.state == .locked)
      #expect(second.records.isEmpty)
      #expect(try await ServiceSupport.read(backend) == "kept")
      #expect(await watch.observe([.all(.groupData)]).state == .open(placement: "dedicated"))
    }

    @Test("It does not unlock a group that is locked during an observation")
    func lockInTheMiddle() async throws {
      let watch = await backend.watch()
      for round in 1...50 {
        try await ServiceSupport.write("\(round)", to: backend)
        _ = await watch.observe([.all(.groupData)])
        async let looks: Void = observeUntilLocked(watch)
        // Each time at another moment of the observation.
        try await Task.sleep(for: .microseconds(round * 100))
        try await store.lockGroup(group)
        await looks
        #expect(try await store.groups().first { $0.group == group }?.isLocked == true, "round \(round)")
      }
    }

    @Test("It finds the records of a group whose marker is damaged or missing")
    func withoutMarker() async throws {
      try await ServiceSupport.write("kept", to: backend)
      let watch = await backend.watch()
      let before = await watch.observe([.all(.groupData)])
      for spoiling in ["item.set_secret(b'spoilt')", "item.delete()"] {
        try await ServiceSupport.python(
          "[\(spoiling) for item in items(kind='group', group=sys.argv[1])]", group.name)
        let view = await watch.observe([.all(.groupData)])
        #expect(view.state == before.state, "\(spoiling)")
        #expect(view.records.map(\.key) == [ServiceSupport.note], "\(spoiling)")
      }
    }

    private func observeUntilLocked(_ watch: any GroupWatch) async {
      for _ in 1...20 where await watch.observe([.all(.groupData)]).state == .locked { return }
    }
  }
}
