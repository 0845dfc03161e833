// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Faults of the daemon", .serialized)
  struct DaemonFaultTests {
    let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    @Test("A call to an unresponsive daemon throws timedOut, and the next call after it resumes succeeds")
    func frozenDaemon() async throws {
      let backend = ServiceSupport.store(timeout: .seconds(4)).unrestrictedBackend(for: group)
      try await ServiceSupport.write("before", to: backend)
      try await PrivateSession.keyring("freeze")
      let clock = ContinuousClock()
      for _ in 1...2 {
        let took = try await clock.measure {
          let code = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
          #expect(code == .timedOut)
        }
        #expect(took < .seconds(7))
      }
      let fresh = ServiceSupport.store(timeout: .seconds(2)).unrestrictedBackend(for: group)
      let code = try await ServiceSupport.code { _ = try await ServiceSupport.read(fresh) }
      try await PrivateSession.keyring("thaw")
      #expect(code == .timedOut, "a connection that can't be made")
      #expect(try await ServiceSupport.read(backend) == "before")
      #expect(try await ServiceSupport.read(fresh) == "before")
    }

    @Test("Every duration is a valid time limit", arguments: [Int64.max, 1 << 40])
    func endless(seconds: Int64) async throws {
      let backend = ServiceSupport.store(timeout: .seconds(seconds)).unrestrictedBackend(for: group)
      try await ServiceSupport.write("kept", to: backend)
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A cancelled read from an unresponsive daemon throws CancellationError at once")
    func cancelledRead() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("freeze")
      let read = Task { try await ServiceSupport.read(backend) }
      try await Task.sleep(for: .milliseconds(50))
      read.cancel()
      let took = await ContinuousClock().measure {
        await #expect(throws: CancellationError.self) { _ = try await read.value }
      }
      try await PrivateSession.keyring("thaw")
      #expect(took < .seconds(2))
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A cancelled task awaits a write that it has already sent")
    func lateWrite() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("first", to: backend)
      let client = SecretServiceClient()
      let item = try await client.search(["kind": "group-data", "group": group.name]).unlocked[0]
      try await PrivateSession.keyring("freeze")
      let write = Task { try await client.setSecret(Secret([]), of: item) }
      try await Task.sleep(for: .seconds(1))
      write.cancel()
      try await PrivateSession.keyring("thaw")
      try await write.value
      #expect(try await ServiceSupport.read(backend) == nil)
    }

    @Test(
      "Without a daemon each call throws serviceUnavailable, and the next call connects to the new daemon")
    func stoppedDaemon() async throws {
      try await ServiceSupport.expectReconnection(to: group, afterDaemon: "stop")
    }

    @Test(
      "With a locked login keyring an existing group throws groupLocked for reads and writes and is not lost")
    func lockedLogin() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("kept", to: backend)
      try await PrivateSession.keyring("restart", "--locked")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      let listing = try await ServiceSupport.code {
        _ = try await backend.records(matching: .all(.credentials))
      }
      let removing = try await ServiceSupport.code { try await backend.remove(ServiceSupport.note) }
      try await PrivateSession.keyring("restart")
      #expect([reading, writing, listing, removing] == Array(repeating: .groupLocked, count: 4))
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A write lock held by another writer until the deadline throws lockTimedOut")
    func heldWriteLock() async throws {
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("first", to: backend)
      let hasty = ServiceSupport.store(timeout: .milliseconds(300)).unrestrictedBackend(for: group)
      let holder = HeldRuntimeLocks()
      try holder.hold()
      let code = try await ServiceSupport.code { try await ServiceSupport.write("second", to: hasty) }
      holder.release()
      #expect(code == .lockTimedOut)
      #expect(try await ServiceSupport.read(backend) == "first")
    }
  }
}
