// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.KWallet {
  @Suite("State of a wallet", .serialized)
  struct WalletTests {
    private let name = PrivateSession.uniqueGroup()
    private let group: AccessGroup
    private let client = SecretServiceClient()

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(name)
    }

    private func item() async throws -> ObjectPath {
      try #require(try await client.search(["kind": "group-data", "group": name]).unlocked.first)
    }

    private func isLocked() async throws -> Bool? {
      let wallet = try #require(try await client.collection(alias: "default"))
      return try await client.isLocked(wallet)
    }

    @Test("A wallet that the login opened is locked for programs and unlocks without a dialog")
    func openedByLogin() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("restart")
      #expect(try await isLocked() == true)
      #expect(try await ServiceSupport.read(backend) == "kept")
      #expect(try await isLocked() == false)
    }

    @Test("A session's first group is created in a wallet that no program has unlocked yet")
    func firstGroup() async throws {
      try await PrivateSession.keyring("restart")
      #expect(try await isLocked() == true)
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      #expect(try await ServiceSupport.read(backend) == nil)
      try await ServiceSupport.write("made", to: backend)
      #expect(try await ServiceSupport.read(backend) == "made")
    }

    @Test("A group in a closed wallet throws groupLocked to apps that know its items, and is not lost")
    func closed() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("lock")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      let listing = try await ServiceSupport.code {
        _ = try await backend.records(matching: .all(.groupData))
      }
      let removing = try await ServiceSupport.code { try await backend.remove(ServiceSupport.note) }
      let groups = try await SecretStore().groups()
      try await PrivateSession.keyring("restart")
      #expect([reading, writing, listing, removing] == Array(repeating: .groupLocked, count: 4))
      #expect(groups.contains { $0.isLocked && $0.collection == "kdewallet" })
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A group that never existed is absent also while the wallet is closed, which hides no items")
    func absentWhileClosed() async throws {
      try await PrivateSession.keyring("lock")
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      let read = try await ServiceSupport.read(backend)
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      try await PrivateSession.keyring("restart")
      #expect(read == nil)
      #expect(writing == .groupLocked)
    }

    @Test("An empty secret from KWallet for a locked item throws groupLocked and does not count as absent")
    func emptySecret() async throws {
      try await ServiceSupport.write("kept", to: SecretStore().unrestrictedBackend(for: group))
      let item = try await item()
      try await PrivateSession.keyring("lock")
      let code = try await ServiceSupport.code { _ = try await client.secrets(of: [item]) }
      try await PrivateSession.keyring("restart")
      #expect(code == .groupLocked)
    }

    @Test("A write that KWallet accepts and discards for a locked item throws groupLocked")
    func droppedWrite() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("kept", to: backend)
      let item = try await item()
      try await PrivateSession.keyring("lock")
      let code = try await ServiceSupport.code { try await client.setSecret(Secret("new"), of: item) }
      try await PrivateSession.keyring("restart")
      #expect(code == .groupLocked)
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("Removing a missing item removes no other item's secret")
    func goneItem() async throws {
      try await ServiceSupport.write("kept", to: SecretStore().unrestrictedBackend(for: group))
      let item = try await item()
      let gone = try #require(ObjectPath("\(item.parent)/999999"))
      let secrets = try await client.secrets(of: [gone, item])
      #expect(Set(secrets.keys) == [item])
      #expect(try await client.secrets(of: [gone]).isEmpty)
    }
  }
}
