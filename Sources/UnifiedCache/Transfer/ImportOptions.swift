// SPDX-License-Identifier: MIT

/// Options for the import of a cache.
public struct ImportOptions: Sendable {
  /// Whether to report what the import would do, without writing anything.
  public var isDryRun = false

  /// Whether to leave out unreadable entries.
  ///
  /// Otherwise they are stored unchanged, and the import refuses a file with an identifier that holds a control
  /// character or a credential that a service holds on behalf of a user.
  public var skipsUnreadable = false

  /// Whether the file replaces the content of the group, in either format.
  ///
  /// Older tokens then replace newer ones, and signed-out accounts come back. Accounts that the file lacks are removed
  /// and signed out for all apps, also those of the other format.
  public var replaces = false

  /// The records whose items have other records' attributes, for a dry run: a replacing import corrects those first.
  package var misnamed: [MisnamedRecord] = []

  /// Creates the default options: nothing newer is replaced, no signed-out account comes back, nothing is removed.
  public init() {}
}

/// A record whose item has another record's attributes.
package struct MisnamedRecord: Sendable {
  /// The record that the attributes name; `nil` when they name none.
  package let name: RecordKey?
  /// The record that the document names.
  package let record: Record

  package init(name: RecordKey?, record: Record) {
    self.name = name
    self.record = record
  }
}
