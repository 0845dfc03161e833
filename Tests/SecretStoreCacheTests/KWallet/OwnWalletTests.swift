// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.KWallet {
  @Suite("Several wallets", .serialized)
  struct OwnWalletTests {
    private let name = PrivateSession.uniqueGroup()
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(name)
    }

    private func backend(_ group: AccessGroup) -> SecretServiceBackend {
      ServiceSupport.store().unrestrictedBackend(for: group)
    }

    @Test("a wallet of the group's name is the group's own, and is groupLocked while it is closed")
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
      "an app that asks for a shared group gets it beside a wallet of its name, any other in it",
      arguments: [GroupPlacement.shared, .dedicatedIfSilent, .dedicated])
    func placed(policy: GroupPlacement) async throws {
      try await PrivateSession.keyring("add", name)
      var options = SecretStoreOptions()
      options.placement = policy
      try await ServiceSupport.write(
        "kept", to: SecretStore(options: options).unrestrictedBackend(for: group))
      let made = try await SecretStore().groups().first { $0.group == group }
      try await PrivateSession.keyring("remove", name)
      #expect(made?.collection == (policy == .shared ? "kdewallet" : name))
      #expect(made?.placement == (policy == .shared ? .shared : .dedicated))
    }

    @Test("a closed wallet of the group's name is groupLocked to who would make the group")
    func closedOwnWallet() async throws {
      try await PrivateSession.keyring("add", name)
      try await PrivateSession.keyring("restart")
      let making = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend(group)) }
      try await PrivateSession.keyring("remove", name)
      #expect(making == .groupLocked)
    }

    @Test(
      "a wallet of the group's name goes with the group, unless there are other programs' entries in it",
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

    @Test("beside another closed wallet a group goes on as before, and a new one is made")
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
