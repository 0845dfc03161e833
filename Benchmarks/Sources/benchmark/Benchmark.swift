// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// The command that makes the measurements and prints the tables.
@main
struct Benchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Times the library beside C programs that make the same D-Bus calls, and beside its peers.",
    discussion: """
      Runs in a private session only: call Benchmarks/run. All work in the same run against the same daemon, by \
      turns. A ratio is that of the medians; beside it are the least and the greatest ratio of one round.
      """)

  @Option(help: "Where floor, launch and holder were built.")
  var programs: String

  @Option(help: "The tool, built as it is installed.")
  var tool: String

  @Option(help: "The Python that has the peers' packages.")
  var python: String

  @Option(help: "The directory of the peers' scripts.")
  var peers: String

  @Option(help: "How often the contestants take turns.")
  var rounds = 5

  @Option(help: "How many runs one turn has at most.")
  var runs = 200

  @Option(help: "After how many milliseconds a turn ends, if it has at least three runs.")
  var milliseconds = 300

  @Option(parsing: .upToNextOption, help: "How many accounts the groups have.")
  var accounts = [1, 5, 25, 250]

  @Option(help: "How many items of other apps the collection beside the groups has.")
  var neighbours = 3_000

  @Option(parsing: .upToNextOption, help: "The numbers of accounts of the plot of the growth.")
  var growth = [10, 100, 1_000, 3_000]

  @Option(parsing: .upToNextOption, help: "How many accounts are imported, at least four.")
  var imports = [100, 1_000]

  @Option(parsing: .upToNextOption, help: "What to measure (default: everything).")
  var works = Work.allCases

  @Option(help: "The Markdown file to write (default: standard output).")
  var results: String?

  @Option(help: "The SVG file to write.")
  var plot: String?

  @Flag(help: "A minute's run over little, to see that all of it works: its figures mean little.")
  var quick = false

  func validate() throws {
    guard ProcessInfo.processInfo.environment["SSC_KEYRING_CONTROL"] != nil else {
      throw ValidationError("Not in a private session: call Benchmarks/run.")
    }
    guard rounds > 0, runs >= Limit.minimum, (accounts + growth).allSatisfy({ $0 > 0 }),
      imports.allSatisfy({ $0 > Limit.minimum })
    else {
      throw ValidationError(
        "Rounds and accounts must be at least 1, runs at least \(Limit.minimum), and imports more than that.")
    }
  }

  mutating func run() async throws {
    if quick {
      (rounds, runs, milliseconds, neighbours) = (1, 10, 50, 100)
      (accounts, growth, imports) = ([1, 5], [3, 10], [10])
    }
    let start = ContinuousClock.now
    let load = Machine.load
    let directory = ProcessInfo.processInfo.environment["SSC_SESSION_DIR"] ?? ""
    let tools = Tools(programs: programs, tool: tool, python: python, peers: peers, directory: directory)
    var measurements: [Measurement] = []
    let groups = try await SeededGroup.make(accounts, neighbours: neighbours, tools)
    var fields: [Field] = []
    for group in groups {
      fields.append(try await field(group, tools))
    }
    for work in works where work != .importing {
      for field in fields {
        measurements.append(try await measure(work, field, field.contestants(work)))
      }
    }
    let growing = try await growthMeasurements(tools)
    let importing = works.contains(.importing) ? try await importMeasurements(tools) : []
    let document = ResultsDocument(
      report: Report(measurements: measurements), growth: growing, importing: importing,
      machine: try await Machine.describe(python: python), loads: (load, Machine.load), benchmark: self,
      duration: ContinuousClock.now - start)
    try write(document.text, to: results)
    if let plot, !growing.isEmpty { try write(GrowthChart(measurements: growing).svg, to: plot) }
  }

  private func field(_ group: SeededGroup, _ tools: Tools) async throws -> Field {
    Field(
      group: group, subject: try await Subject(group: group),
      agent: try await Subject(group: group, transport: .agent), tools: tools)
  }

  /// Measures the growth.
  ///
  /// Each group is the only one in its daemon, because a search goes through all items.
  private func growthMeasurements(_ tools: Tools) async throws -> [Measurement] {
    var measurements: [Measurement] = []
    for size in growth {
      for group in try await SeededGroup.make([size], neighbours: 0, tools) {
        let field = try await field(group, tools)
        for work in Work.growing where works.contains(work) {
          let shown = field.contestants(work).filter { GrowthChart.shows($0, at: work) }
          measurements.append(try await measure(work, field, shown, rounds: min(rounds, 3)))
        }
      }
    }
    return measurements
  }

  /// Measures imports, the long ones in one round.
  private func importMeasurements(_ tools: Tools) async throws -> [Measurement] {
    _ = try await SeededGroup.make([1], neighbours: 0, tools)
    var measurements: [Measurement] = []
    for size in imports {
      let field = try await ImportField(accounts: size, tools)
      measurements.append(
        try await measure(.importing, size, field.contestants, rounds: size < 1000 ? min(rounds, 3) : 1))
    }
    return measurements
  }

  private func measure(
    _ work: Work, _ field: Field, _ contestants: [Contestant], rounds: Int? = nil
  ) async throws -> Measurement {
    try await measure(work, field.group.accounts, contestants, rounds: rounds ?? self.rounds)
  }

  private func measure(
    _ work: Work, _ accounts: Int, _ contestants: [Contestant], rounds: Int
  ) async throws -> Measurement {
    var measurement = Measurement(work, accounts: accounts, contestants)
    for _ in 0..<rounds {
      try await measurement.takeTurns(Limit(runs: runs, milliseconds: milliseconds))
    }
    let line = "\(work.rawValue), \(accounts) accounts\n"
    FileHandle.standardError.write(Data(line.utf8))
    return measurement
  }

  private func write(_ text: String, to path: String?) throws {
    guard let path else { return print(text) }
    try Data(text.utf8).write(to: URL(filePath: path))
  }
}
