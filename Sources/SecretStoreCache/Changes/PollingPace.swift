// SPDX-License-Identifier: MIT

/// The polling interval of a group whose changes are not signalled: short after a change, and longer without changes.
struct PollingPace: Sendable {
  /// The shortest interval, used for a minute after each change.
  static let shortest = Duration.seconds(2)
  /// The longest interval.
  static let longest = Duration.seconds(16)

  private static let pollsAtShortest = 30

  /// The number of polls without a change since the last change.
  private var unchangedPolls = 0

  /// The time until the next poll.
  var interval: Duration {
    let doublings = max(0, min(unchangedPolls - Self.pollsAtShortest, 8))
    return min(Self.shortest * (1 << doublings), Self.longest)
  }

  /// Records the result of a poll.
  mutating func notePoll(foundChange isChanged: Bool) { unchangedPolls = isChanged ? 0 : unchangedPolls + 1 }
}
