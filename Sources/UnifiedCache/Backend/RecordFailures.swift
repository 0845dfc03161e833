// SPDX-License-Identifier: MIT

package import KeychainGroupModel

/// The records that a change of several could not change, while it goes on with the others.
package struct RecordFailures {
  /// The errors that another record need not have.
  private static let codes: Set<SecretStoreError.Code> = [
    .lockTimedOut, .corruptItem, .storageFailed, .groupLocked, .invalidFile, .invalidArgument,
  ]
  /// The largest number of records and of causes that the error names.
  private static let maximumNamed = 10

  private var errors: [(key: RecordKey?, error: SecretStoreError)] = []

  package init() {}

  /// Whether every record could be changed.
  package var isEmpty: Bool { errors.isEmpty }

  /// Changes a record, unless that has failed before: another app may hold its lock until each deadline.
  ///
  /// - Parameter key: The record; `nil` for a change of several, whose error names them.
  /// - Returns: What the change returns; `nil` when the record could not be changed.
  /// - Throws: `CancellationError`, and an error that any record would have, such as `serviceUnavailable`.
  package mutating func attempt<Outcome>(
    _ key: RecordKey?, _ change: () async throws -> Outcome
  ) async throws -> Outcome? {
    if let key, errors.contains(where: { $0.key == key }) { return nil }
    do {
      return try await further(change)
    } catch let error as SecretStoreError where Self.codes.contains(error.code) {
      errors.append((key, error))
      return nil
    }
  }

  /// Runs a further change, as ``FurtherWaits`` says.
  package func further<Outcome>(_ change: () async throws -> Outcome) async rethrows -> Outcome {
    try await FurtherWaits.run(after: errors.map(\.error), change)
  }

  /// Throws the first error, which names all records that could not be changed.
  package func check() throws(SecretStoreError) {
    guard let first = errors.first?.error else { return }
    var causes: [String] = []
    for (_, error) in errors where !causes.contains(error.detail) { causes.append(error.detail) }
    var detail = causes.prefix(Self.maximumNamed).joined(separator: " ")
    let names = Set(errors.compactMap(\.key?.purpose)).sorted()
    if !names.isEmpty {
      let rest = names.count > Self.maximumNamed ? " and \(names.count - Self.maximumNamed) more" : ""
      detail += " Not changed: \(names.prefix(Self.maximumNamed).joined(separator: ", "))\(rest)."
    }
    throw SecretStoreError(first.code, detail, underlying: first.underlying)
  }
}
