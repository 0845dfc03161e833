// SPDX-License-Identifier: MIT

/// One work on one group, measured round by round: in a round, all contestants take their turn.
struct Measurement {
  let work: Work
  let accounts: Int
  /// The first is ours.
  let contestants: [Contestant]
  /// For each contestant, the runs of each round.
  private var rounds: [[[Double]]]

  init(_ work: Work, accounts: Int, _ contestants: [Contestant]) {
    self.work = work
    self.accounts = accounts
    self.contestants = contestants
    rounds = contestants.map { _ in [] }
  }

  /// Lets all contestants take a turn.
  mutating func takeTurns(_ limit: Limit) async throws {
    for (index, contestant) in contestants.enumerated() {
      let runs = try await contestant.turn(limit)
      // A processor that was idle, or did another's work, is slow at first.
      rounds[index].append(runs.count == 1 ? runs : Array(runs.dropFirst(max(1, runs.count / 5))))
    }
  }

  /// A contestant's median over all rounds.
  func median(_ index: Int) -> Double { Figures.median(rounds[index].flatMap(\.self)) }

  /// Ours divided by a contestant's, by the medians of all rounds.
  func ratio(_ index: Int) -> Double { median(0) / median(index) }

  /// The least and the greatest ratio of the medians of one round.
  func spread(_ index: Int) -> ClosedRange<Double> {
    let ratios = zip(rounds[0], rounds[index]).map { Figures.median($0) / Figures.median($1) }
    return (ratios.min() ?? 0)...(ratios.max() ?? 0)
  }

  /// Whether a contestant's target is met; `nil` when there is none at this size.
  func meets(_ index: Int) -> Bool? {
    guard let target = contestants[index].target, target.applies(to: accounts) else { return nil }
    return ratio(index) <= target.ratio
  }
}
