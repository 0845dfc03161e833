// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.Prompts {
  /// When a user has no keyring, a dialog asks for a new password to create the first one.
  @Suite("Dialogs that create the first keyring", .serialized)
  struct CreatePromptTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }
    private let allowed = PromptPolicy.allowed(timeLimit: .seconds(5))

    private func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code(body)
    }

    /// A store of a user without keyrings.
    private func freshStore(_ placement: GroupPlacement = .dedicatedIfSilent) async throws -> SecretStore {
      try await PrivateSession.keyring("restart", "--fresh")
      var options = SecretStoreOptions()
      options.placement = placement
      return SecretStore(options: options)
    }

    private func collections() async throws -> [String] {
      let json = try await ServiceSupport.python(
        """
        print(json.dumps(sorted(c.get_label() for c in secretstorage.get_all_collections(connection)
            if not c.collection_path.endswith("/session"))))
        """)
      return try JSONDecoder().decode([String].self, from: Data(json.utf8))
    }

    private func pid() async throws -> String {
      try await PrivateSession.run(PrivateSession.control, ["pid"])
    }

    @Test("Without permission to prompt no dialog opens, there are no accounts, and nothing is created")
    func never() async throws {
      let store = try await freshStore()
      let backend = store.unrestrictedBackend(for: try group)
      #expect(try await ServiceSupport.read(backend) == nil)
      #expect(try await code { try await ServiceSupport.write("new", to: backend) } == .serviceUnavailable)
      #expect(try await code { try await store.createGroup(group) } == .serviceUnavailable)
      #expect(try await collections() == [])
    }

    @Test(
      "The user chooses a password, and the group is in the new keyring",
      arguments: [GroupPlacement.dedicatedIfSilent, .shared, .dedicated])
    func accepted(placement: GroupPlacement) async throws {
      let store = try await freshStore(placement)
      let keyring = placement == .dedicated ? name : "Default"
      try await MockPrompter.will("password chosen")
      try await store.createGroup(group, promptPolicy: allowed)
      #expect(try await collections() == [keyring])
      let made = try await store.groups()
      #expect(
        made == [
          GroupSummary(
            group: try group, collection: keyring, placement: placement == .dedicated ? .dedicated : .shared,
            isLocked: false)
        ])
      try await ServiceSupport.write("kept", to: store.unrestrictedBackend(for: group))

      try await PrivateSession.keyring("restart")
      let later = ServiceSupport.store()
      let silent = try await code { _ = try await ServiceSupport.read(later.unrestrictedBackend(for: group)) }
      #expect(silent == (placement == .dedicated ? .groupUnrecoverable : .groupLocked))
      try await MockPrompter.will("password chosen")
      #expect(try await later.unlockGroup(group, promptPolicy: allowed))
      #expect(try await ServiceSupport.read(later.unrestrictedBackend(for: group)) == "kept")

      // By default gnome-keyring's dialog lets the login unlock it from then on.
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(later.unrestrictedBackend(for: group)) == "kept")
    }

    @Test("A dialog that the user closes throws promptDismissed, creates nothing and is not shown again")
    func refused() async throws {
      let store = try await freshStore()
      try await MockPrompter.will("cancel", "password chosen")
      #expect(
        try await code { try await store.createGroup(group, promptPolicy: allowed) } == .promptDismissed)
      #expect(
        try await code { try await store.createGroup(group, promptPolicy: allowed) } == .promptDismissed)
      #expect(try await collections() == [])
      try await store.createGroup(group, promptPolicy: .allowed(timeLimit: .seconds(5), again: true))
      #expect(try await collections() == ["Default"])
    }

    @Test("A dialog left open throws timedOut and is closed, and the daemon keeps running")
    func leftOpen() async throws {
      let store = try await freshStore()
      let before = try await pid()
      try await MockPrompter.will("wait 4", "password chosen")
      let start = ContinuousClock.now
      let code = try await code {
        try await store.createGroup(group, promptPolicy: .allowed(timeLimit: .seconds(1)))
      }
      #expect(code == .timedOut)
      #expect(start.duration(to: .now) < .seconds(4))
      try await Task.sleep(for: .seconds(6))
      #expect(try await pid() == before)
      #expect(try await collections() == [])
      try await MockPrompter.will("wait 0", "password chosen")
      try await store.createGroup(group, promptPolicy: allowed)
      #expect(try await collections() == ["Default"])
    }

    @Test("A cancelled call ends at once, closes its dialog, creates nothing, and the daemon keeps running")
    func cancelled() async throws {
      let store = try await freshStore()
      let before = try await pid()
      try await MockPrompter.will("wait 4", "password chosen")
      let call = Task { try await store.createGroup(group, promptPolicy: allowed) }
      try await MockPrompter.seesDialog()
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      try await Task.sleep(for: .seconds(6))
      #expect(try await pid() == before)
      #expect(try await collections() == [])
      try await MockPrompter.will("wait 0", "password chosen")
      try await store.createGroup(group, promptPolicy: allowed)
      #expect(try await collections() == ["Default"])
    }
  }
}
