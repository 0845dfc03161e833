// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.Prompts {
  /// gnome-keyring deletes without a dialog.
  ///
  /// The dialog opens the login keyring first.
  @Suite("Dialogs that remove a locked group", .serialized)
  struct RemovalPromptTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }

    /// A group with a record, as after a login without a password.
    private func lockedGroup() async throws -> SecretStore {
      try await PrivateSession.keyring("restart")
      try await ServiceSupport.write("kept", to: ServiceSupport.store().unrestrictedBackend(for: group))
      try await PrivateSession.keyring("restart", "--locked")
      return ServiceSupport.store()
    }

    private func removal(
      _ store: SecretStore, _ promptPolicy: PromptPolicy
    ) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code {
        let existed = try await store.deleteGroup(group, promptPolicy: promptPolicy)
        #expect(existed)
      }
    }

    /// Expects the complete group after the next login.
    private func isWhole() async throws -> Bool {
      try await PrivateSession.keyring("restart")
      return try await ServiceSupport.read(ServiceSupport.store().unrestrictedBackend(for: group)) == "kept"
    }

    @Test("Without permission to prompt no dialog opens, and nothing is removed")
    func never() async throws {
      let store = try await lockedGroup()
      #expect(try await removal(store, .never) == .groupLocked)
      #expect(try await isWhole())
    }

    @Test("The login keyring's password removes the group and its stored password")
    func accepted() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("password test")
      #expect(try await removal(store, .allowed(timeLimit: .seconds(5))) == nil)
      #expect(try await ServiceSupport.python("print(len(items(group=sys.argv[1])))", name) == "0\n")
      #expect(try await !isWhole())
    }

    @Test("A dialog that the user closes leaves the group intact and is not shown again")
    func refused() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("cancel")
      #expect(try await removal(store, .allowed(timeLimit: .seconds(5))) == .promptDismissed)
      #expect(try await removal(store, .allowed(timeLimit: .seconds(5))) == .promptDismissed)
      #expect(try await isWhole())
    }

    @Test("A dialog left open, or a cancelled call, leaves the group intact")
    func leftOpen() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("wait 4", "password test")
      #expect(try await removal(store, .allowed(timeLimit: .seconds(1))) == .timedOut)
      let call = Task { try await store.deleteGroup(group, promptPolicy: .allowed(timeLimit: .seconds(5))) }
      // The first dialog is still open, so no second one appears.
      try await Task.sleep(for: .seconds(1))
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      try await Task.sleep(for: .seconds(6))
      try await MockPrompter.will("wait 0")
      #expect(try await isWhole())
    }
  }
}
