// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.Prompts {
  /// A person gives a group's keyring a password of their own, in Seahorse.
  @Suite("A group with a password that a person chose", .serialized)
  struct ChosenPasswordTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }

    private func unlock(_ store: SecretStore, again: Bool = false) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code {
        try await store.unlockGroup(group, interaction: .allowed(timeLimit: .seconds(5), again: again))
      }
    }

    @Test("It is lost to those who don't know it; once it was typed, the login opens the group again")
    func chosen() async throws {
      try await PrivateSession.keyring("restart")
      let store = ServiceSupport.store()
      let backend = store.unrestrictedBackend(for: try group)
      try await ServiceSupport.write("kept", to: backend)
      try await ServiceSupport.python(
        """
        import keyrings
        [key] = items(kind="group-key", group=sys.argv[1])
        [home] = [c for c in secretstorage.get_all_collections(connection) if c.get_label() == sys.argv[1]]
        keyrings.Keyrings(connection).change(home.collection_path, key.get_secret().decode(), "chosen")
        """, name)
      #expect(try await ServiceSupport.read(backend) == "kept")

      try await PrivateSession.keyring("restart")
      #expect(
        try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) } == .groupUnrecoverable)
      #expect(try await ServiceSupport.code { try await store.unlockGroup(group) } == .groupUnrecoverable)
      try await Person.will("cancel", "password chosen")
      #expect(try await unlock(store) == .groupUnrecoverable, "the person does not know it")
      #expect(try await unlock(store) == .groupUnrecoverable, "and is not asked again")
      #expect(try await unlock(store, again: true) == nil)
      #expect(try await ServiceSupport.read(backend) == "kept")

      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(backend) == "kept")
    }
  }
}
