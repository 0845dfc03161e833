// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Group placement", .serialized)
  struct GroupPlacementTests {
    let name: String
    let group: AccessGroup
    /// Whether a collection can be created without a dialog.
    let makesSilently: Bool

    init() throws {
      name = PrivateSession.uniqueGroup()
      group = try AccessGroup(name)
      makesSilently = try PrivateSession.provider == "gnome-keyring"
    }

    private func store(_ policy: GroupPlacement) -> SecretStore {
      var options = SecretStoreOptions()
      options.placement = policy
      return SecretStore(options: options)
    }

    private func summary() async throws -> GroupSummary? {
      try await SecretStore().groups().first { $0.group == group }
    }

    /// The label of the default collection, as another program reads it.
    private func defaultLabel() async throws -> String {
      try await ServiceSupport.python("print(default_collection().get_label(), end='')")
    }

    @Test(
      "A shared group is in the default collection; one that may be shared is where no dialog is necessary",
      arguments: [GroupPlacement.shared, .dedicatedIfSilent])
    func silent(policy: GroupPlacement) async throws {
      try await ServiceSupport.write("kept", to: store(policy).unrestrictedBackend(for: group))
      let isOwn = policy == .dedicatedIfSilent && makesSilently
      let made = try #require(try await summary())
      #expect(made.placement == (isOwn ? .dedicated : .shared))
      #expect(made.collection == (isOwn ? name : try await defaultLabel()))
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(SecretStore().unrestrictedBackend(for: group)) == "kept")
    }

    @Test("A dedicated group that needs a dialog throws groupLocked, and nothing is created")
    func dedicated() async throws {
      let backend = store(.dedicated).unrestrictedBackend(for: group)
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("kept", to: backend) }
      let creating = try await ServiceSupport.code { try await store(.dedicated).createGroup(group) }
      if makesSilently {
        #expect([writing, creating] == [nil, nil])
        #expect(try await summary()?.placement == .dedicated)
        #expect(try await ServiceSupport.read(backend) == "kept")
      } else {
        #expect([writing, creating] == [.groupLocked, .groupLocked])
        #expect(try await summary() == nil)
        #expect(try await ServiceSupport.read(backend) == nil)
        #expect(try await ServiceSupport.python("print(len(items(group=sys.argv[1])))", name) == "0\n")
      }
    }

    @Test(
      "The placement is decided once: an app with another policy uses the existing group",
      arguments: [GroupPlacement.dedicated, .dedicatedIfSilent])
    func decidedOnce(policy: GroupPlacement) async throws {
      try await store(.shared).createGroup(group)
      try await ServiceSupport.write("kept", to: store(policy).unrestrictedBackend(for: group))
      try await store(policy).createGroup(group)
      #expect(try await summary()?.placement == .shared)
      #expect(
        try await ServiceSupport.python("print(len(items(group=sys.argv[1], kind='group')))", name) == "1\n")
    }
  }
}
