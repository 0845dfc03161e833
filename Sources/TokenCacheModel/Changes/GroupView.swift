// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What a ``GroupWatch`` saw.
public struct GroupView: Sendable {
  /// How the group stands.
  public let state: GroupState
  /// The records that were asked for, each once; none where the group is not open.
  public let records: [Record]

  /// A group that is open.
  ///
  /// - Parameters:
  ///   - place: Tells one placement from another and is for nothing else.
  ///   - records: The records that were asked for, each once.
  public init(place: String, records: [Record]) {
    state = .open(place: place)
    self.records = records
  }

  /// A group that is not there.
  public static let absent = GroupView(.absent)

  /// A group that can't be read, by what reading it ended with.
  public init(_ error: any Error) { self.init(GroupState(error) ?? .unavailable) }

  private init(_ state: GroupState) {
    self.state = state
    records = []
  }
}
