// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.EveryProvider {
  /// Another program damages the item of a record.
  @Suite("Items that are set aside", .serialized)
  struct SetAsideTests {
    private let group: AccessGroup
    private let backend: SecretServiceBackend

    init() async throws {
      group = try ServiceSupport.newGroup()
      backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await ServiceSupport.write("one", to: backend)
    }

    private func damage() async throws {
      try await ServiceSupport.python(
        "items(kind='group-data', key='note', group=sys.argv[1])[0].set_secret(b'hello')", group.name)
    }

    private func setAside(since time: Int) async throws -> Bool {
      try await ServiceSupport.store().unrestrictedBackend(for: group).setAside(
        ServiceSupport.note, since: time)
    }

    @Test("They count from the time at which they were set aside")
    func time() async throws {
      #expect(try await !setAside(since: 0), "It can be read.")
      try await damage()
      // Providers give times in whole seconds.
      try await Task.sleep(for: .seconds(1.1))
      let start = UnixTime.now
      #expect(try await setAside(since: start))
      #expect(try await setAside(since: start), "Another process has done so.")
      #expect(try await !setAside(since: start + 60))
    }

    @Test("A record that is made again stays while they are there")
    func restored() async throws {
      let start = UnixTime.now
      try await damage()
      #expect(try await setAside(since: start))
      try await ServiceSupport.write("two", to: backend)
      #expect(try await backend.keepsRestored(ServiceSupport.note, as: CacheDocument()))
      #expect(try await ServiceSupport.read(backend) == "two")
    }

    @Test("A record that is damaged again as soon as it is made again throws corruptItem")
    func damagedAgain() async throws {
      try await damage()
      #expect(try await setAside(since: 0))
      try await ServiceSupport.write("two", to: backend)
      try await damage()
      #expect(
        try await ServiceSupport.code {
          _ = try await backend.keepsRestored(ServiceSupport.note, as: CacheDocument())
        } == .corruptItem)
    }

    @Test("It goes when they are gone, unless somebody has stored it since or in its place")
    func removed() async throws {
      let made = try #require(try await backend.record(for: ServiceSupport.note)).document()
      #expect(try await backend.keepsRestored(ServiceSupport.note, as: CacheDocument()))
      try await ServiceSupport.write("two", to: backend)
      #expect(try await backend.keepsRestored(ServiceSupport.note, as: made))
      try await backend.remove(ServiceSupport.note)
      try await ServiceSupport.write("one", to: backend)
      #expect(try await !backend.keepsRestored(ServiceSupport.note, as: made))
      #expect(try await ServiceSupport.read(backend) == nil)
    }
  }
}
