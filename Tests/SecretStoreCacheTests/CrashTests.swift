// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests {
  /// What gnome-keyring alone is sure of: it has stored a write when it answers, and makes groups of their own.
  @Suite("Crashes and logins without a password", .serialized)
  struct CrashTests {
    let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    @Test("without a daemon each call ends in serviceUnavailable, and the next call finds the new daemon")
    func killedDaemon() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("before", to: backend)
      try await PrivateSession.keyring("kill")
      for _ in 1...2 {
        let code = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
        #expect(code == .serviceUnavailable)
      }
      try await PrivateSession.keyring("start")
      #expect(try await ServiceSupport.read(backend) == "before")
      try await ServiceSupport.write("after", to: backend)
      #expect(try await ServiceSupport.read(backend) == "after")
    }

    @Test("with a locked login a group that does not exist has no records, and can't be made")
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
