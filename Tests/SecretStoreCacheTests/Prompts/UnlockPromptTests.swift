// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.Prompts {
  @Suite("Dialogs that unlock a group", .serialized)
  struct UnlockPromptTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }

    private func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code(body)
    }

    /// A group with a record, as after a login without a password: all keyrings are locked.
    private func lockedGroup() async throws -> SecretStore {
      try await PrivateSession.keyring("restart")
      try await ServiceSupport.write("kept", to: ServiceSupport.store().unrestrictedBackend(for: group))
      try await PrivateSession.keyring("restart", "--locked")
      return ServiceSupport.store()
    }

    /// The group's record, read without a dialog.
    private func kept(_ store: SecretStore) async throws -> String? {
      try await ServiceSupport.read(store.unrestrictedBackend(for: group))
    }

    private let allowed = PromptPolicy.allowed(timeLimit: .seconds(5))

    @Test("Without permission to prompt no dialog opens: a locked group throws groupLocked")
    func never() async throws {
      let store = try await lockedGroup()
      #expect(try await code { try await store.unlockGroup(group) } == .groupLocked)
      #expect(try await code { try await store.createGroup(AccessGroup(name + ".other")) } == .groupLocked)
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
    }

    @Test("The login keyring's password unlocks this group and every other")
    func accepted() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("password test")
      #expect(try await store.unlockGroup(group, promptPolicy: allowed))
      #expect(try await kept(store) == "kept")
      try await store.createGroup(AccessGroup(name + ".other"))
    }

    @Test("The provider asks again after a wrong password")
    func wrongPassword() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("password wrong", "password test")
      #expect(try await store.unlockGroup(group, promptPolicy: allowed))
      #expect(try await kept(store) == "kept")
    }

    @Test("A call that was allowed to show a dismissed dialog again shows it once")
    func refusedAgain() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("cancel", "password test")
      let again = PromptPolicy.allowed(timeLimit: .seconds(5), again: true)
      #expect(try await code { try await store.unlockGroup(group, promptPolicy: again) } == .promptDismissed)
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
      #expect(try await store.unlockGroup(group, promptPolicy: again))
    }

    @Test("A dialog that the user closes throws promptDismissed and is not shown again unless requested")
    func refused() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("cancel", "password test")
      #expect(
        try await code { try await store.unlockGroup(group, promptPolicy: allowed) } == .promptDismissed)
      #expect(
        try await code { try await store.unlockGroup(group, promptPolicy: allowed) } == .promptDismissed)
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
      #expect(
        try await store.unlockGroup(group, promptPolicy: .allowed(timeLimit: .seconds(5), again: true)))
      #expect(try await kept(store) == "kept")
    }

    @Test("A dialog left open throws timedOut; the daemon keeps running, and a late password is effective")
    func leftOpen() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("wait 4", "password test")
      let start = ContinuousClock.now
      let code = try await code {
        try await store.unlockGroup(group, promptPolicy: .allowed(timeLimit: .seconds(1)))
      }
      #expect(code == .timedOut)
      #expect(start.duration(to: .now) < .seconds(4))
      #expect(try await self.code { _ = try await kept(store) } == .groupLocked)
      try await Task.sleep(for: .seconds(6))
      #expect(try await kept(store) == "kept")
      try await MockPrompter.will("wait 0")
    }

    @Test("A cancelled call ends at once, and the daemon keeps running")
    func cancelled() async throws {
      let store = try await lockedGroup()
      try await MockPrompter.will("wait 4", "password test")
      let before = try await PrivateSession.run(PrivateSession.control, ["pid"])
      let call = Task { try await store.unlockGroup(group, promptPolicy: allowed) }
      try await MockPrompter.seesDialog()
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
      try await Task.sleep(for: .seconds(6))
      #expect(try await PrivateSession.run(PrivateSession.control, ["pid"]) == before)
      #expect(try await kept(store) == "kept")
      try await MockPrompter.will("wait 0")
    }

    @Test("Two programs that prompt at once get one dialog and one result")
    func twoPrograms() async throws {
      let (one, two) = (try await lockedGroup(), ServiceSupport.store())
      try await MockPrompter.will("password test")
      async let first = one.unlockGroup(group, promptPolicy: allowed)
      async let second = two.unlockGroup(group, promptPolicy: allowed)
      #expect(try await [first, second] == [true, true])
    }

    @Test("A group can be created while login is locked, with the login keyring's password")
    func makeWhileLocked() async throws {
      let store = try await lockedGroup()
      let other = try AccessGroup(name + ".other")
      #expect(try await code { try await store.createGroup(other, promptPolicy: .never) } == .groupLocked)
      try await MockPrompter.will("password test")
      try await store.createGroup(other, promptPolicy: allowed)
      try await ServiceSupport.write("made", to: store.unrestrictedBackend(for: other))
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(ServiceSupport.store().unrestrictedBackend(for: other)) == "made")
    }
  }
}
