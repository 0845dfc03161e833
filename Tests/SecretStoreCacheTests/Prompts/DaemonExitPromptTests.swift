// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.Prompts {
  /// gnome-keyring aborts when a program dismisses an unlock prompt that is on the screen.
  ///
  /// The library never does that; other programs do.
  @Suite("Daemon that exits during its dialog", .serialized)
  struct DaemonExitPromptTests {
    private let name = PrivateSession.uniqueGroup()
    private var group: AccessGroup { get throws { try AccessGroup(name) } }
    private let policy = PromptPolicy.allowed(timeLimit: .seconds(30))

    /// A locked group, and the process of the daemon.
    private func lockedGroup() async throws -> (SecretStore, daemon: String) {
      try await PrivateSession.keyring("restart")
      try await ServiceSupport.write("kept", to: ServiceSupport.store().unrestrictedBackend(for: group))
      try await PrivateSession.keyring("restart", "--locked")
      return (ServiceSupport.store(), try await PrivateSession.run(PrivateSession.control, ["pid"]))
    }

    /// Runs `ending` while a call waits for a dialog; checks the call's error, and that the next call works.
    private func survives(_ store: SecretStore, _ ending: () async throws -> Void) async throws {
      let call = Task {
        try await ServiceSupport.code { try await store.unlockGroup(group, promptPolicy: policy) }
      }
      try await MockPrompter.seesDialog()
      try await ending()
      let start = ContinuousClock.now
      #expect(try await call.value == .serviceUnavailable)
      #expect(start.duration(to: .now) < .seconds(5))
      let backend = store.unrestrictedBackend(for: try group)
      let without = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      #expect(without == .serviceUnavailable)
      try await PrivateSession.keyring("start")
      #expect(try await ServiceSupport.read(backend) == "kept")
      try await MockPrompter.will("wait 0")
    }

    @Test(
      "A crash throws serviceUnavailable at once, not promptDismissed; the next call finds the new daemon")
    func crash() async throws {
      let (store, _) = try await lockedGroup()
      try await MockPrompter.will("wait 4", "password test")
      try await survives(store) { try await PrivateSession.keyring("kill") }
      try await PrivateSession.keyring("restart", "--locked")
      try await MockPrompter.will("password test")
      #expect(try await store.unlockGroup(group, promptPolicy: policy))
    }

    @Test("Another program's Dismiss aborts the daemon, and this process keeps running")
    func foreignDismissal() async throws {
      let (store, daemon) = try await lockedGroup()
      try await MockPrompter.will("wait 4", "password test")
      try await survives(store) {
        try await ServiceSupport.python(
          """
          import time
          from secretstorage.util import DBusAddressWrapper
          service = DBusAddressWrapper("/org/freedesktop/secrets", "org.freedesktop.Secret.Service", connection)
          _, path = service.call("Unlock", "ao", ["/org/freedesktop/secrets/collection/login"])
          prompt = DBusAddressWrapper(path, "org.freedesktop.Secret.Prompt", connection)
          prompt.call("Prompt", "s", "")
          time.sleep(0.3)
          try:
              prompt.call("Dismiss", "")
          except Exception as error:
              print(error)
          """)
        let now = try? await PrivateSession.run(PrivateSession.control, ["pid"])
        #expect(now != daemon)
      }
    }
  }
}
