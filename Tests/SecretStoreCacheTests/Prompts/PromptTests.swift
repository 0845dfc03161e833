// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests {
  /// Dialogs of the real daemon, with a person behind them that does as it is told.
  @Suite("Dialogs of gnome-keyring", .serialized)
  struct Prompts {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }

    private func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code(body)
    }

    /// A group with something in it, as after a login without a password: all keyrings are locked.
    private func lockedGroup() async throws -> SecretStore {
      try await PrivateSession.keyring("restart")
      try await ServiceSupport.write("kept", to: ServiceSupport.store().unrestrictedBackend(for: group))
      try await PrivateSession.keyring("restart", "--locked")
      return ServiceSupport.store()
    }

    /// What the group holds, when nobody is asked.
    private func kept(_ store: SecretStore) async throws -> String? {
      try await ServiceSupport.read(store.unrestrictedBackend(for: group))
    }

    private let allowed = Interaction.allowed(timeLimit: .seconds(5))

    @Test("Without leave no dialog opens: a locked group is groupLocked")
    func never() async throws {
      let store = try await lockedGroup()
      #expect(try await code { try await store.unlockGroup(group) } == .groupLocked)
      #expect(try await code { try await store.createGroup(AccessGroup(name + ".other")) } == .groupLocked)
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
    }

    @Test("The login keyring's password opens the group, and every other")
    func accepted() async throws {
      let store = try await lockedGroup()
      try await Person.will("password test")
      #expect(try await store.unlockGroup(group, interaction: allowed))
      #expect(try await kept(store) == "kept")
      try await store.createGroup(AccessGroup(name + ".other"))
    }

    @Test("A wrong password is asked for again, by the provider")
    func wrongPassword() async throws {
      let store = try await lockedGroup()
      try await Person.will("password wrong", "password test")
      #expect(try await store.unlockGroup(group, interaction: allowed))
      #expect(try await kept(store) == "kept")
    }

    @Test("A dialog that the person closes is promptDismissed, and is not shown again unless asked to")
    func refused() async throws {
      let store = try await lockedGroup()
      try await Person.will("cancel", "password test")
      #expect(try await code { try await store.unlockGroup(group, interaction: allowed) } == .promptDismissed)
      #expect(try await code { try await store.unlockGroup(group, interaction: allowed) } == .promptDismissed)
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
      #expect(
        try await store.unlockGroup(group, interaction: .allowed(timeLimit: .seconds(5), again: true)))
      #expect(try await kept(store) == "kept")
    }

    @Test("A dialog that is left open is timedOut; the daemon lives, and an answer that comes late holds")
    func leftOpen() async throws {
      let store = try await lockedGroup()
      try await Person.will("wait 4", "password test")
      let start = ContinuousClock.now
      let code = try await code {
        try await store.unlockGroup(group, interaction: .allowed(timeLimit: .seconds(1)))
      }
      #expect(code == .timedOut)
      #expect(start.duration(to: .now) < .seconds(4))
      #expect(try await self.code { _ = try await kept(store) } == .groupLocked)
      try await Task.sleep(for: .seconds(6))
      #expect(try await kept(store) == "kept")
      try await Person.will("wait 0")
    }

    @Test("A call that is cancelled ends at once, and does not take the daemon with it")
    func cancelled() async throws {
      let store = try await lockedGroup()
      try await Person.will("wait 4", "password test")
      let before = try await PrivateSession.run(PrivateSession.control, ["pid"])
      let call = Task { try await store.unlockGroup(group, interaction: allowed) }
      try await Person.seesDialog()
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await code { _ = try await kept(store) } == .groupLocked)
      try await Task.sleep(for: .seconds(6))
      #expect(try await PrivateSession.run(PrivateSession.control, ["pid"]) == before)
      #expect(try await kept(store) == "kept")
      try await Person.will("wait 0")
    }

    @Test("Two programs that ask at once get one dialog and one answer")
    func twoPrograms() async throws {
      let (one, two) = (try await lockedGroup(), ServiceSupport.store())
      try await Person.will("password test")
      async let first = one.unlockGroup(group, interaction: allowed)
      async let second = two.unlockGroup(group, interaction: allowed)
      #expect(try await [first, second] == [true, true])
    }

    @Test("A group can be made while login is locked, with the login keyring's password")
    func makeWhileLocked() async throws {
      let store = try await lockedGroup()
      let other = try AccessGroup(name + ".other")
      #expect(try await code { try await store.createGroup(other, interaction: .never) } == .groupLocked)
      try await Person.will("password test")
      try await store.createGroup(other, interaction: allowed)
      try await ServiceSupport.write("made", to: store.unrestrictedBackend(for: other))
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(ServiceSupport.store().unrestrictedBackend(for: other)) == "made")
    }
  }
}
