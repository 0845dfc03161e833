// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

/// The group that a suite shared before, and its new one.
struct CopiedGroups {
  let former = SharedGroup()
  let group = SharedGroup()

  /// Copies the former group, after a dry run, and before a second copy that must do nothing.
  @discardableResult
  func copy() async throws -> ImportSummary {
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    let (source, before) = try await (raw(former), raw(group))
    let planned = try await transfer.copyRecords(from: former.backend, isDryRun: true)
    #expect(try await raw(group) == before, "the dry run wrote")
    let done = try await transfer.copyRecords(from: former.backend)
    #expect(planned == done, "the dry run reported another result")
    let after = try await raw(group)
    let again = try await transfer.copyRecords(from: former.backend)
    #expect(again.added == 0 && again.updated == 0)
    #expect(again.unchanged == done.added + done.updated + done.unchanged)
    #expect(try await raw(group) == after, "the second copy wrote")
    #expect(try await raw(former) == source, "the former group was changed")
    return done
  }

  /// What is stored, also what can't be read.
  func raw(_ group: SharedGroup) async throws -> [RecordKey: CacheDocument?] {
    var all: [RecordKey: CacheDocument?] = [:]
    for kind in RecordKind.allCases {
      for record in try await group.backend.records(matching: .all(kind)) {
        all[record.key] = .some(try? record.document())
      }
    }
    return all
  }
}
