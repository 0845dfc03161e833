// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests {
  /// Guarantees of gnome-keyring only: a write is stored when it replies, and each group gets its own collection.
  @Suite("Daemon that exited, or whose login keyring is locked", .serialized)
  struct DaemonAvailabilityTests {
    let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    @Test(
      "Without a daemon each call throws serviceUnavailable, and the next call connects to the new daemon")
    func killedDaemon() async throws {
      try await ServiceSupport.expectReconnection(to: group, afterDaemon: "kill")
    }

    @Test("With a locked login keyring an absent group has no records and cannot be created")
    func lockedLoginWithoutGroup() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await PrivateSession.keyring("restart", "--locked")
      let read = try await ServiceSupport.read(backend)
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      try await PrivateSession.keyring("restart")
      #expect(read == nil)
      #expect(writing == .groupLocked)
      try await ServiceSupport.write("now", to: backend)
      #expect(try await ServiceSupport.read(backend) == "now")
    }
  }
}
