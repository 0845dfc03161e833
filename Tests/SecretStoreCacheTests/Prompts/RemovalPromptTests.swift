// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.Prompts {
  /// gnome-keyring deletes without a question; what takes a dialog is to open the login keyring first.
  @Suite("A locked group is removed", .serialized)
  struct RemovalPromptTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }

    /// A group with something in it, as after a login without a password.
    private func lockedGroup() async throws -> SecretStore {
      try await PrivateSession.keyring("restart")
      try await ServiceSupport.write("kept", to: ServiceSupport.store().unrestrictedBackend(for: group))
      try await PrivateSession.keyring("restart", "--locked")
      return ServiceSupport.store()
    }

    private func removal(
      _ store: SecretStore, _ interaction: Interaction
    ) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code {
        let wasThere = try await store.deleteGroup(group, interaction: interaction)
        #expect(wasThere)
      }
    }

    /// That the group is there, whole, after the next login.
    private func isWhole() async throws -> Bool {
      try await PrivateSession.keyring("restart")
      return try await ServiceSupport.read(ServiceSupport.store().unrestrictedBackend(for: group)) == "kept"
    }

    @Test("Without leave no dialog opens, and nothing is removed")
    func never() async throws {
      let store = try await lockedGroup()
      #expect(try await removal(store, .never) == .groupLocked)
      #expect(try await isWhole())
    }

    @Test("With the login keyring's password it is removed, with its own")
    func accepted() async throws {
      let store = try await lockedGroup()
      try await Person.will("password test")
      #expect(try await removal(store, .allowed(timeLimit: .seconds(5))) == nil)
      #expect(try await ServiceSupport.python("print(len(items(group=sys.argv[1])))", name) == "0\n")
      #expect(try await !isWhole())
    }

    @Test("A dialog that the person closes leaves the group whole, and is not shown again")
    func refused() async throws {
      let store = try await lockedGroup()
      try await Person.will("cancel")
      #expect(try await removal(store, .allowed(timeLimit: .seconds(5))) == .promptDismissed)
      #expect(try await removal(store, .allowed(timeLimit: .seconds(5))) == .promptDismissed)
      #expect(try await isWhole())
    }

    @Test("A dialog that is left open, or a call that is cancelled, leaves the group whole")
    func leftOpen() async throws {
      let store = try await lockedGroup()
      try await Person.will("wait 4", "password test")
      #expect(try await removal(store, .allowed(timeLimit: .seconds(1))) == .timedOut)
      let call = Task { try await store.deleteGroup(group, interaction: .allowed(timeLimit: .seconds(5))) }
      // The first dialog is still open, so that no second one comes.
      try await Task.sleep(for: .seconds(1))
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      try await Task.sleep(for: .seconds(6))
      try await Person.will("wait 0")
      #expect(try await isWhole())
    }
  }
}
