// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

extension ServiceTests {
  @Suite("Group move")
  struct GroupMoveTests {
    private struct Killed: Error {}

    private let group: AccessGroup

    init() throws { group = try AccessGroup(PrivateSession.uniqueGroup()) }

    private func backend() -> SecretServiceBackend {
      ServiceSupport.store().unrestrictedBackend(for: group)
    }

    private static func key(_ number: Int) -> RecordKey { .groupData("note-\(number)") }

    private func write(_ text: String, _ number: Int) async throws {
      let document = try ServiceSupport.document(text)
      try await backend().update(Self.key(number)) { $0 = document }
    }

    private func read(_ number: Int) async throws -> String? {
      guard let document = try await backend().record(for: Self.key(number))?.document() else { return nil }
      let json = try JSONSerialization.jsonObject(with: Data(document.serialized())) as? [String: Any]
      return json?["Note"] as? String
    }

    /// A group of three records in the default collection.
    private func sharedGroup() async throws {
      var options = SecretStoreOptions()
      options.placement = .shared
      try await SecretStore(options: options).createGroup(group)
      for number in 0..<3 { try await write("old \(number)", number) }
    }

    /// The number of the group's items in each collection, by label, without the password.
    private func places() async throws -> [String: Int] {
      let json = try await ServiceSupport.python(
        """
        import collections
        count = collections.Counter()
        for item in items(group=sys.argv[1]):
            if item.get_attributes()["kind"] == "group-key": continue
            path = item.item_path.rpartition("/")[0]
            count[secretstorage.Collection(connection, path).get_label()] += 1
        print(json.dumps(count))
        """, group.name)
      return try JSONDecoder().decode([String: Int].self, from: Data(json.utf8))
    }

    /// Moves the group, and stops after a number of steps as a killed process does.
    ///
    /// - Returns: Whether the move completed.
    private func move(steps: Int) async throws -> Bool {
      let left = Locked(steps)
      var mover = GroupMover(
        client: SecretServiceClient(), group: group)
      mover.afterStep = { _ in
        let isOver = left.withLock { left in
          left -= 1
          return left <= 0
        }
        if isOver { throw Killed() }
      }
      do {
        _ = try await mover.move()
        return true
      } catch is Killed {
        return false
      }
    }

    @Test("All records and the marker are in the new collection, and none remain in the old one")
    func whole() async throws {
      try await sharedGroup()
      let store = ServiceSupport.store()
      #expect(try await store.moveGroup(group) == 3)
      #expect(try await places() == [group.name: 4])
      for number in 0..<3 { #expect(try await read(number) == "old \(number)") }
      #expect(try await store.groups().filter { $0.group == group }.map(\.placement) == [.dedicated])
      #expect(try await store.moveGroup(group) == 0)
      try await PrivateSession.keyring("restart")
      #expect(try await read(2) == "old 2")
    }

    @Test("A deletion asks for the attributes of another program's item once for each search")
    func searchesWithExternalItem() async throws {
      for number in 0..<16 { try await write("own \(number)", number) }
      try await ServiceSupport.python(
        """
        [home] = [c for c in secretstorage.get_all_collections(connection) if c.get_label() == sys.argv[1]]
        for number in range(3):
            attributes = {"publisher": "", "group": sys.argv[1], "number": str(number)}
            home.create_item("Theirs", attributes | {"xdg:schema": "com.other.Item"}, b"theirs")
        """, group.name)
      let client = SecretServiceClient()
      let first = ItemAttributes.owner(group).merging(["number": "0"]) { $1 }
      let item = try #require(try await client.search(first).unlocked.first)
      let calls = try await BusMonitor.calls {
        let existed = try await ServiceSupport.store(timeout: .seconds(60)).deleteGroup(group)
        #expect(existed)
      }
      #expect(try await client.search(ItemAttributes.owner(group)).unlocked.count == 4)
      // The first search finds sixteen records, the second the marker, and the last one nothing.
      let searches = 3
      #expect(calls.count { $0.path == item.text && $0.member == "Get" } == searches)
    }

    @Test("An absent group, or one with a dedicated collection, does not move")
    func nothing() async throws {
      #expect(try await ServiceSupport.store().moveGroup(group) == 0)
      try await write("own", 0)
      #expect(try await ServiceSupport.store().moveGroup(group) == 0)
      #expect(try await places() == [group.name: 2])
    }

    @Test("A move interrupted after any step loses nothing and restores nothing deleted", arguments: 1...8)
    func killed(steps: Int) async throws {
      try await sharedGroup()
      #expect(try await !move(steps: steps))
      for number in 0..<3 { #expect(try await read(number) == "old \(number)") }
      try await write("new", 0)
      try await backend().remove(Self.key(1))
      #expect(try await move(steps: .max))
      #expect(try await read(0) == "new")
      #expect(try await read(1) == nil)
      #expect(try await read(2) == "old 2")
      #expect(try await places() == [group.name: 3])
    }

    @Test("A move that is cancelled ends at a whole record, and the next one continues it", arguments: 0...2)
    func cancelled(after limit: Int) async throws {
      try await sharedGroup()
      let reports = Locked<[[Int]]>([])
      let note: @Sendable (Int, Int) -> Void = { completed, total in
        reports.withLock { $0.append([completed, total]) }
        if completed == limit { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
      let mover = GroupMover(client: SecretServiceClient(), group: group, progress: note)
      await #expect(throws: CancellationError.self) { try await Task { _ = try await mover.move() }.value }
      #expect(reports.withLock({ $0 }) == (0...limit).map { [$0, 3] })
      // Both places have a marker.
      let places = try await places()
      #expect(places[group.name] == limit + 1 && places.values.reduce(0, +) == 5)
      #expect(try await ServiceSupport.store().moveGroup(group) == 3 - limit)
      for number in 0..<3 { #expect(try await read(number) == "old \(number)") }
      #expect(try await self.places() == [group.name: 4])
    }

    @Test("A cancellation in the middle of a record waits until the record is moved")
    func cancelledWithinRecord() async throws {
      try await sharedGroup()
      let running = Locked<Task<Void, any Error>?>(nil)
      var mover = GroupMover(client: SecretServiceClient(), group: group)
      mover.afterStep = { step in
        if step == .recordCopied { running.withLock { $0?.cancel() } }
      }
      let move = running.withLock { [mover] running in
        let task = Task { _ = try await mover.move() }
        running = task
        return task
      }
      await #expect(throws: CancellationError.self) { try await move.value }
      let places = try await places()
      #expect(places[group.name] == 2 && places.values.reduce(0, +) == 5, "a record is in both places")
    }

    @Test("An app searches again for a known record after an interrupted move", arguments: 2...7)
    func knownBefore(steps: Int) async throws {
      try await sharedGroup()
      let app = backend()
      for number in 0..<3 { _ = try await app.record(for: Self.key(number)) }
      #expect(try await !move(steps: steps))
      for number in 0..<3 {
        try await write("new \(number)", number)
        let read = try await app.record(for: Self.key(number))?.document()
        #expect(UnsharedGroup.text(read) == "new \(number)")
      }
    }

    @Test("An app that read a record during an interrupted move searches for it again")
    func knownMeanwhile() async throws {
      try await sharedGroup()
      let app = backend()
      var mover = GroupMover(client: SecretServiceClient(), group: group)
      mover.afterStep = { step in
        if step == .recordCopied { throw Killed() }
      }
      let read = { for number in 0..<3 { _ = try await app.record(for: Self.key(number)) } }
      try VersionFile(of: group).unsettle()
      try await read()
      await #expect(throws: Killed.self) { _ = try await mover.move() }
      for number in 0..<3 {
        try await write("new \(number)", number)
        let read = try await app.record(for: Self.key(number))?.document()
        #expect(UnsharedGroup.text(read) == "new \(number)")
      }
    }

    @Test("Unlocking a group after an interrupted move does not settle its version")
    func lockedMeanwhile() async throws {
      try await sharedGroup()
      #expect(try await !move(steps: 2))
      let version = try VersionFile(of: group)
      let before = version.read()
      try await ServiceSupport.store().unlockGroup(group)
      #expect(version.read() != before && version.read()?.isSettled == false)
      #expect(try await ServiceSupport.store().moveGroup(group) > 0)
      #expect(version.read()?.isSettled == true)
    }

    @Test("A copy that a writer without the shared lock changes is not deleted with that change")
    func writtenMeanwhile() async throws {
      try await sharedGroup()
      let client = SecretServiceClient()
      let old = try #require(
        try await client.search(ItemAttributes.all(Self.key(0), in: group)).unlocked.first)
      let bytes = Array(try #require(try await client.secrets(of: [old])[old]).data)
      let newer = try UnsharedGroup.bytes(bytes, saying: "newer", revision: 2)
      let isWritten = Locked(false)
      var mover = GroupMover(client: client, group: group)
      mover.afterStep = { step in
        guard step == .recordCopied, !isWritten.withLock({ $0 }) else { return }
        isWritten.withLock { $0 = true }
        try await client.setSecret(newer, of: old)
      }
      #expect(try await mover.move() == 3)
      #expect(try await read(0) == "newer")
      #expect(try await places() == [group.name: 4])
    }

    @Test("An emptied collection is not removed while a group is being created")
    func removalOfEmptied() async throws {
      try await write("own", 0)
      let hold = try #require(try await GroupCreator.lock.acquire(timeout: .seconds(5)))
      let repair = CollectionRepair(client: SecretServiceClient(), group: group)
      let code = try await ServiceSupport.code {
        try await Deadline.run(within: .seconds(4)) { try await repair.moveIntoOneCollection() }
      }
      withExtendedLifetime(hold) {}
      #expect(code == .lockTimedOut)
    }

    @Test("An app that reads during the move misses no record", arguments: 1...5)
    func readMeanwhile(round: Int) async throws {
      try await sharedGroup()
      let app = backend()
      let isMoved = Locked(false)
      let move = Task {
        defer { isMoved.withLock { $0 = true } }
        return try await ServiceSupport.store().moveGroup(group)
      }
      var counts: Set<Int> = []
      while !isMoved.withLock({ $0 }) {
        counts.insert(try await app.records(matching: .all(.groupData)).count)
      }
      #expect(try await move.value == 3)
      #expect(counts.subtracting([3]) == [])
    }

    @Test("An app that writes during the move loses no write")
    func meanwhile() async throws {
      try await sharedGroup()
      let app = backend()
      async let moved = ServiceSupport.store().moveGroup(group)
      for round in 0..<30 {
        let document = try ServiceSupport.document("round \(round)")
        try await app.update(Self.key(round % 3)) { $0 = document }
      }
      #expect(try await moved >= 0)
      _ = try await ServiceSupport.store().moveGroup(group)
      for number in 0..<3 { #expect(try await read(number) == "round \(27 + number)") }
      #expect(try await places() == [group.name: 4])
    }
  }
}
