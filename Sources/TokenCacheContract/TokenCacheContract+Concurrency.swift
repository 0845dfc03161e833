// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  static let concurrencyCases: [ContractCase] = [
    ContractCase("sixteen tokens of one account saved at once are all there afterwards", .writeLock) {
      environment in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            let backend = number % 2 == 0 ? environment.backend : environment.other
            let cache = try Samples.cache(backend)
            try await cache.save(
              try Samples.response(scope: "scope\(number)", token: "at\(number)"), scopes: ["scope\(number)"])
          }
        }
        try await group.waitForAll()
      }
      try await environment.settle()
      let document = try await environment.other.record(for: Samples.key)?.document()
      let tokens = Set(document?.credentials.filter(\.kind.isAccessToken).map(\.secret) ?? [])
      try expect(tokens, is: Set((0..<16).map { "at\($0)" }), "the tokens")
      try expect(document?.metadata.revision, is: 16, "the revision")
    },
    ContractCase("changes of sixteen records at once are all there afterwards", .writeLock) { environment in
      let keys = (0..<16).map { RecordKey.groupData("record \($0)") }
      let document = try Samples.document("kept")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, key) in keys.enumerated() {
          group.addTask {
            let backend = number % 2 == 0 ? environment.backend : environment.other
            try await backend.update(key) { $0 = document }
          }
        }
        try await group.waitForAll()
      }
      try await environment.settle()
      let stored = Set(try await environment.other.records(matching: .all(.groupData)).map(\.key))
      try expect(stored, is: Set(keys), "the records")
    },
    ContractCase("no change that began before a removal undoes it", .writeLock) { environment in
      let documents = try ["stored", "changed"].map { try Samples.document($0) }
      for _ in 1...10 {
        try await environment.backend.update(Samples.key) { $0 = documents[0] }
        async let changed: Void = environment.backend.update(Samples.key) { stored in
          if stored != nil { stored = documents[1] }
        }
        async let removed: Void = environment.other.remove(Samples.key)
        _ = try await (changed, removed)
        try expect(try await environment.other.record(for: Samples.key) == nil, is: true, "absence")
      }
    },
    ContractCase("a record is there and whole for who reads it during a write", .wholeReads) { environment in
      // What is long takes a while to write.
      let rest = String(repeating: "x", count: 200_000)
      let documents = try (0...10).map { try Samples.document("\($0) \(rest)") }
      try await environment.backend.update(Samples.key) { $0 = documents[0] }
      let isWritten = Locked(false)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          defer { isWritten.withLock { $0 = true } }
          for document in documents {
            try await environment.backend.update(Samples.key) { $0 = document }
          }
        }
        group.addTask {
          var last = 0
          repeat {
            let note = try await environment.other.record(for: Samples.key)?.document().note
            let seen = note?.split(separator: " ")
            guard let number = seen?.first.flatMap({ Int($0) }), number >= last, seen?.last == rest[...]
            else {
              throw FailedExpectation(
                "expected note \(last) or a later one, saw \(note.map { "\($0.prefix(20))" } ?? "no record")")
            }
            last = number
            let listed = try await environment.other.records(matching: .all(.credentials))
            try expect(listed.map(\.key), is: [Samples.key], "the listed keys")
            _ = try listed.first?.document()
          } while !isWritten.withLock { $0 }
        }
        try await group.waitForAll()
      }
    },
    ContractCase("a cancelled call says so and writes nothing", .cancellation) { environment in
      let document = try Samples.document("kept")
      try await environment.backend.update(Samples.key) { $0 = document }
      let calls: [(String, @Sendable (any TokenCacheBackend) async throws -> Void)] = [
        ("a change", { backend in try await backend.update(Samples.key) { $0 = CacheDocument() } }),
        ("a removal", { backend in try await backend.remove(Samples.key) }),
        ("a read", { backend in _ = try await backend.record(for: Samples.key) }),
        ("a list", { backend in _ = try await backend.records(matching: .all(.credentials)) }),
        (
          "a list of several queries",
          { backend in _ = try await backend.records(matchingAny: [.all(.credentials), .all(.family)]) }
        ),
        ("a refresh lease", { backend in try await backend.withRefreshLease(on: Samples.key) {} }),
      ]
      for (what, call) in calls {
        let task = Task {
          try? await Task.sleep(for: .seconds(60))
          try await call(environment.backend)
        }
        task.cancel()
        try await expectCancellation(what) { try await task.value }
      }
      let read = try await environment.other.record(for: Samples.key)?.document()
      try expect(read?.note, is: "kept", "the content")
    },
  ]
}
