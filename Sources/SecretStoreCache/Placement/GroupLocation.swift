// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The location of a group, on the daemon that is running now.
package struct GroupLocation: Sendable, Equatable {
  /// The collection for new items; it was unlocked when it was found.
  package let collection: ObjectPath
  package let placement: GroupPlacement

  package init(collection: ObjectPath, placement: GroupPlacement) {
    self.collection = collection
    self.placement = placement
  }
}

/// The location that was found to be the group's own among its claims, on the daemon that is running now.
struct ProvenLocation: Sendable {
  let claims: GroupClaims
  let location: GroupLocation
  let daemon: String
}

/// What shows that a collection is still the one that was proven to be the group's: another program may have replaced it,
/// or given it an empty password.
struct CollectionEvidence: Sendable, Equatable {
  /// Whether its file is encrypted; `nil` where it can't be seen.
  let isEncrypted: Bool?
  /// The group's markers in it, each with the time of its creation, which no program can choose.
  let markers: [ObjectPath: Int]
}

/// That a collection may hold records of a group.
struct CollectionProof: Sendable {
  /// How long nothing is looked at again.
  private static let lifetime = Duration.seconds(60)
  /// The age below which a proof stays valid: the first look of a refresh is still so new when it saves, unless it has
  /// waited for a server meanwhile.
  private static let requestTime = Duration.milliseconds(50)

  /// What there was when the collection was proven to be the group's again; `nil` after the first time.
  let evidence: CollectionEvidence?
  private let made = ContinuousClock.now
  private var hasExpired = false

  init(_ evidence: CollectionEvidence? = nil) { self.evidence = evidence }

  var isRecent: Bool { !hasExpired && .now - made < Self.lifetime }

  /// Ends the proof's validity, unless it was made just now.
  mutating func expire() { hasExpired = .now - made >= Self.requestTime }
}

/// A collection about which something was found out for a group, on the daemon that is running now.
struct GroupCollection: Hashable, Sendable {
  let collection: ObjectPath
  let group: AccessGroup
  let daemon: String
}
