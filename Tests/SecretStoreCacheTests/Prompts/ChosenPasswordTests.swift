// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.Prompts {
  /// A user sets another password of a group's keyring in Seahorse.
  @Suite("Group with a password that the user chose", .serialized)
  struct ChosenPasswordTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }

    private func unlock(_ store: SecretStore, again: Bool = false) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code {
        try await store.unlockGroup(group, promptPolicy: .allowed(timeLimit: .seconds(5), again: again))
      }
    }

    @Test("Without the password the group is lost; once it was typed, the login opens the group again")
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
      try await MockPrompter.will("cancel", "password chosen")
      #expect(try await unlock(store) == .groupUnrecoverable, "the user does not know it")
      #expect(try await unlock(store) == .groupUnrecoverable, "and the dialog is not shown again")
      #expect(try await unlock(store, again: true) == nil)
      #expect(try await ServiceSupport.read(backend) == "kept")

      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(backend) == "kept")
    }
  }
}
