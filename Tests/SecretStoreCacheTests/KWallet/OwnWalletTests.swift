// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.KWallet {
  @Suite("Wallet with a group's name", .serialized)
  struct OwnWalletTests {
    private let group: AccessGroup
    private var name: String { group.name }

    init() throws { group = try ServiceSupport.newGroup() }

    private func backend(_ group: AccessGroup) -> SecretServiceBackend {
      ServiceSupport.store().unrestrictedBackend(for: group)
    }

    @Test("A wallet with the group's name is the group's own; while it is closed the group is locked")
    func ownWallet() async throws {
      try await PrivateSession.keyring("add", name)
      try await ServiceSupport.write("kept", to: backend(group))
      let made = try #require(try await SecretStore().groups().first { $0.group == group })
      try await PrivateSession.keyring("restart")
      let locked = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend(group)) }
      try await PrivateSession.keyring("remove", name)
      #expect(made == GroupSummary(group: group, collection: name, placement: .dedicated, isLocked: false))
      #expect(locked == .groupLocked)
    }

    @Test(
      "An app that requests a shared group gets it, although a wallet has its name",
      arguments: [GroupPlacement.shared, .dedicatedIfSilent, .dedicated])
    func placed(policy: GroupPlacement) async throws {
      let made = try await ServiceSupport.group(group, besideItsNameWith: policy)
      #expect(made?.collection == (policy == .shared ? "kdewallet" : name))
      #expect(made?.placement == (policy == .shared ? .shared : .dedicated))
    }

    @Test("A closed wallet with the group's name makes group creation throw groupLocked")
    func closedOwnWallet() async throws {
      try await PrivateSession.keyring("add", name)
      try await PrivateSession.keyring("restart")
      let making = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend(group)) }
      try await PrivateSession.keyring("remove", name)
      #expect(making == .groupLocked)
    }

    @Test(
      "The wallet is removed with the group unless it has other programs' entries",
      arguments: [true, false])
    func deleted(isUsedByOthers: Bool) async throws {
      try await PrivateSession.keyring("add", name)
      try await ServiceSupport.write("goes", to: backend(group))
      if isUsedByOthers {
        try await ServiceSupport.python(
          """
          for c in secretstorage.get_all_collections(connection):
              if c.get_label() == sys.argv[1]: c.create_item("theirs", {"app": "theirs"}, b"stays")
          """, name)
      }
      #expect(try await SecretStore().deleteGroup(group))
      let wallets = try await ServiceSupport.python(
        "print(sum(c.get_label() == sys.argv[1] for c in secretstorage.get_all_collections(connection)))",
        name)
      #expect(wallets == (isUsedByOthers ? "1\n" : "0\n"))
      #expect(try await ServiceSupport.read(backend(group)) == nil)
      if isUsedByOthers { try await PrivateSession.keyring("remove", name) }
    }

    @Test("Beside another closed wallet a group works as before, and a new one is created")
    func otherClosed() async throws {
      let other = PrivateSession.uniqueGroup()
      try await PrivateSession.keyring("add", other)
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(backend(group)) == nil)
      try await ServiceSupport.write("made", to: backend(group))
      #expect(try await ServiceSupport.read(backend(group)) == "made")
      try await PrivateSession.keyring("remove", other)
    }
  }
}
