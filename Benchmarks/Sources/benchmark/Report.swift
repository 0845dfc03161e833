// SPDX-License-Identifier: MIT

/// The measurements as Markdown tables with a column for each size of group.
struct Report {
  let measurements: [Measurement]

  private var sizes: [Int] {
    measurements.map(\.accounts).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The library's medians divided by those of the other contestants, with the targets.
  var ratios: String {
    table(["work", "divided by"], ["to reach", "reached"]) { row in
      row.measurements[0].contestants.indices.dropFirst().map { index in
        let target = row.measurements[0].contestants[index].target
        let met = row.measurements.compactMap { $0.meets(index) }
        return [row.work.title, row.measurements[0].contestants[index].name]
          + row.cells { "\(Figures.ratio($0.ratio(index))) (\(Self.text($0.spread(index))))" }
          + [target?.text ?? "", met.isEmpty ? "" : met.contains(false) ? "**no**" : "yes"]
      }
    }
  }

  /// The medians of all contestants.
  var medians: String {
    table(["work", "who"], []) { row in
      row.measurements[0].contestants.indices.map { index in
        [row.work.title, row.measurements[0].contestants[index].name]
          + row.cells {
            row.work.isMemory ? Figures.memory($0.median(index)) : Figures.time($0.median(index))
          }
      }
    }
  }

  /// Returns the median of a contestant at a work; `nil` when it was not measured.
  func median(_ work: Work, _ accounts: Int, _ name: String) -> Double? {
    let measurement = measurements.first { $0.work == work && $0.accounts == accounts }
    guard let measurement, let index = measurement.contestants.firstIndex(where: { $0.name == name }) else {
      return nil
    }
    return measurement.median(index)
  }

  /// The time that an index of the accounts would save and cost at each size.
  var index: String {
    sizes.compactMap { accounts in
      guard let ours = median(.list, accounts, Field.library),
        let peer = median(.list, accounts, "msal-extensions"),
        let read = median(.list, accounts, Field.indexLookUp),
        let write = median(.save, accounts, Field.indexSave),
        let save = median(.save, accounts, Field.library)
      else { return nil }
      return """
        - \(accounts) accounts: listing takes \(Figures.time(ours)), \(Figures.ratio(ours / peer)) of msal-extensions; \
        with an index at least \(Figures.time(read)), and each save that changes an account \(Figures.time(write)) \
        beside \(Figures.time(save)).
        """
    }.joined(separator: "\n")
  }

  /// The comparison of a warm look-up in the largest and in the smallest group.
  var flatness: String? {
    guard let least = sizes.min(), let most = sizes.max(), least < most,
      let first = median(.warmLookUp, least, Field.library),
      let last = median(.warmLookUp, most, Field.library)
    else { return nil }
    return """
      A warm look-up takes \(Figures.time(first)) at \(least) accounts and \(Figures.time(last)) at \(most): \
      \(Figures.ratio(last / first)) of it.
      """
  }

  // MARK: Tables

  private struct Row {
    let work: Work
    let measurements: [Measurement]
    let sizes: [Int]

    func cells(_ cell: (Measurement) -> String) -> [String] {
      sizes.map { size in measurements.first { $0.accounts == size }.map(cell) ?? "" }
    }
  }

  private func table(_ first: [String], _ last: [String], _ lines: (Row) -> [[String]]) -> String {
    let rows = Work.allCases.compactMap { work in
      let found = measurements.filter { $0.work == work }
      return found.isEmpty ? nil : Row(work: work, measurements: found, sizes: sizes)
    }
    let head = first + sizes.map { "\($0)" } + last
    let rule = first.map { _ in "---" } + sizes.map { _ in "---:" } + last.map { _ in "---" }
    return ([head, rule] + rows.flatMap(lines)).map { "| \($0.joined(separator: " | ")) |" }
      .joined(separator: "\n")
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    "\(Figures.ratio(range.lowerBound))–\(Figures.ratio(range.upperBound))"
  }
}
