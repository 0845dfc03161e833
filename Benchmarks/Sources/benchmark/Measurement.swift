// SPDX-License-Identifier: MIT

/// The measurement of one work on one group.
///
/// In each round, every contestant takes one turn.
struct Measurement {
  let work: Work
  let accounts: Int
  /// The contestants.
  ///
  /// The first one is the library.
  let contestants: [Contestant]
  /// The values by contestant, round and run.
  private var rounds: [[[Double]]]

  init(_ work: Work, accounts: Int, _ contestants: [Contestant]) {
    self.work = work
    self.accounts = accounts
    self.contestants = contestants
    rounds = contestants.map { _ in [] }
  }

  /// Runs one turn of every contestant.
  mutating func takeTurns(_ limit: Limit) async throws {
    for (index, contestant) in contestants.enumerated() {
      let runs = try await contestant.turn(limit)
      // The first fifth is dropped: a processor that was idle or did other work is slow at first.
      rounds[index].append(runs.count == 1 ? runs : Array(runs.dropFirst(max(1, runs.count / 5))))
    }
  }

  /// Returns a contestant's median over all rounds.
  func median(_ index: Int) -> Double { Figures.median(rounds[index].flatMap(\.self)) }

  /// Returns the library's median divided by a contestant's median, each over all rounds.
  func ratio(_ index: Int) -> Double { median(0) / median(index) }

  /// Returns the smallest and the largest ratio of the medians within one round.
  func spread(_ index: Int) -> ClosedRange<Double> {
    let ratios = zip(rounds[0], rounds[index]).map { Figures.median($0) / Figures.median($1) }
    return (ratios.min() ?? 0)...(ratios.max() ?? 0)
  }

  /// Returns whether the target for a contestant is met; `nil` when there is none at this size.
  func meets(_ index: Int) -> Bool? {
    guard let target = contestants[index].target, target.applies(to: accounts) else { return nil }
    return ratio(index) <= target.ratio
  }
}
