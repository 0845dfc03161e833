// SPDX-License-Identifier: MIT

/// How certain it is that each collection may hold the group's records.
package struct CollectionStandings: Sendable {
  package enum Standing: Comparable, Sendable {
    /// It is not proven to be the group's: another program's, or the group's own under another name.
    case unproven
    /// It has the group's name; the password that would prove it is locked.
    case undecided
    case proven
  }

  private var standings: [ObjectPath: Standing]

  /// The group's own collection; `nil` where it is not known or not asked for.
  var home: ObjectPath?

  package init(_ standings: [ObjectPath: Standing] = [:]) { self.standings = standings }

  /// Whether several collections may hold the group's records: the group's own, and those that it may share.
  var hasSeveralProven: Bool { standings.values.count { $0 == .proven } > 1 }

  /// The standing of a collection; one that was not asked for counts as proven.
  package subscript(collection: ObjectPath) -> Standing { standings[collection] ?? .proven }

  /// Returns whether an item in a collection may be the record that its attributes name, although it can't be read.
  ///
  /// It isn't one beside the group's own collection. Where nothing shows which that is, it may be.
  func mayHoldDamaged(_ collection: ObjectPath) -> Bool {
    self[collection] != .unproven && (home == nil || home == collection)
  }

  /// Returns these standings, with some collections that are known to be the group's.
  func proving(_ collections: Set<ObjectPath>) -> Self {
    var proven = self
    for collection in collections { proven.standings[collection] = .proven }
    return proven
  }

  /// Returns the copies of a record that count: those in collections of the best standing.
  package func counted<Copy>(_ copies: [Copy], at path: (Copy) -> ObjectPath) -> [Copy] {
    let best = copies.map { self[path($0).parent] }.max()
    return copies.filter { self[path($0).parent] == best }
  }
}
