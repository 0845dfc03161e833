// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The observation of a ``GroupWatch``.
public struct GroupObservation: Sendable {
  /// The state of the group.
  public let state: GroupState
  /// The requested records, each once; empty unless the group is open.
  public let records: [Record]

  /// Creates the observation of an open group.
  ///
  /// - Parameters:
  ///   - placement: A text that differs between placements of the group; it has no other meaning.
  ///   - records: The requested records, each once.
  public init(placement: String, records: [Record]) {
    state = .open(placement: placement)
    self.records = records
  }

  /// The observation of a group that does not exist.
  public static let absent = GroupObservation(.absent)

  /// Creates the observation of a group that can't be read, from the error of the read.
  public init(_ error: any Error) { self.init(GroupState(error) ?? .unavailable) }

  private init(_ state: GroupState) {
    self.state = state
    records = []
  }
}
