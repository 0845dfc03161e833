// SPDX-License-Identifier: MIT

/// The content of a group at the start of an import.
package struct StoredGroup {
  private let records: [RecordKey: Record]
  private let recordsOfOthers: Set<RecordKey>

  /// Reads all records that an import may need.
  ///
  /// - Parameters:
  ///   - misnamed: Records that the back end does not find, or takes for others that can't be read.
  ///   - kinds: The kinds of record.
  package init(
    reading backend: any TokenCacheBackend, beside misnamed: [MisnamedRecord] = [],
    kinds: [RecordKind] = [.credentials, .family, .client, .groupData, .legacy, .damaged]
  ) async throws {
    let names = Set(misnamed.compactMap(\.name))
    let all = try await backend.records(matchingAny: kinds.map(RecordQuery.all)).filter {
      !names.contains($0.key) || DamagedRecord($0) == nil
    }
    records = Dictionary((all + misnamed.map(\.record)).map { ($0.key, $0) }) { first, _ in first }
    recordsOfOthers =
      records.isEmpty ? [] : try await (backend as? any ForeignCopies)?.recordsOfOthers() ?? []
  }

  private init(_ records: [RecordKey: Record], _ recordsOfOthers: Set<RecordKey>) {
    (self.records, self.recordsOfOthers) = (records, recordsOfOthers)
  }

  /// Reads the records of some kinds again.
  func readAgain(_ kinds: [RecordKind], from backend: any TokenCacheBackend) async throws -> StoredGroup {
    let now = try await StoredGroup(reading: backend, kinds: kinds)
    let rest = records.filter { !kinds.contains($0.key.kind) }
    let others = recordsOfOthers.filter { !kinds.contains($0.kind) }
    return StoredGroup(rest.merging(now.records) { $1 }, others.union(now.recordsOfOthers))
  }

  /// Returns the group with some records as they were before, or without those that were not there.
  func replacing(_ keys: Set<RecordKey>, with earlier: StoredGroup) -> StoredGroup {
    let rest = records.filter { !keys.contains($0.key) }
    let others = recordsOfOthers.subtracting(keys).union(earlier.recordsOfOthers.intersection(keys))
    return StoredGroup(rest.merging(earlier.records.filter { keys.contains($0.key) }) { $1 }, others)
  }

  var isEmpty: Bool { records.isEmpty }

  /// Returns a record, or `nil` when there is none.
  func record(_ key: RecordKey) -> Record? { records[key] }

  /// The learned host aliases.
  ///
  /// A record that can't be read counts as empty.
  package var aliases: EnvironmentAliases {
    EnvironmentAliases(in: try? record(EnvironmentAliases.record)?.document())
  }

  /// Returns whether only other programs have a copy of a record.
  package func isOfOthers(_ key: RecordKey) -> Bool { recordsOfOthers.contains(key) }

  /// Returns the sign-out number of a record of which only other programs have a copy; otherwise `nil`.
  package func signOutNumberOfOthers(_ key: RecordKey) -> Int? {
    guard isOfOthers(key) else { return nil }
    return (try? record(key)?.document())?.metadata.signOutNumber ?? 0
  }

  /// Returns the records of a kind that the group itself has.
  func ownRecords(_ kind: RecordKind) -> [Record] { records(kind).filter { !isOfOthers($0.key) } }

  /// Returns the records of a kind.
  func records(_ kind: RecordKind) -> [Record] { records.values.filter { $0.key.kind == kind } }
}
