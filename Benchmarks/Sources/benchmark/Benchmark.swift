// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// The command that measures and prints the table.
@main
struct Benchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Times the library beside a C program that makes the same D-Bus calls.",
    discussion: """
      Runs in a private session only: call Benchmarks/run. Both work in the same run against the same daemon \
      and the same items, by turns. The ratio is that of the medians; beside it are the least and the greatest \
      ratio of one round.
      """)

  @Option(help: "The C program.")
  var floor: String

  @Option(help: "How often ours and the floor take turns.")
  var rounds = 10

  @Option(help: "How often an operation that reads is run in one turn; one that writes, a quarter as often.")
  var runs = 200

  @Option(parsing: .upToNextOption, help: "How many accounts the groups have.")
  var accounts = [1, 5, 25]

  @Option(parsing: .upToNextOption, help: "What to measure (default: everything).")
  var operations = Operation.allCases

  func validate() throws {
    guard ProcessInfo.processInfo.environment["SSC_KEYRING_CONTROL"] != nil else {
      throw ValidationError("Not in a private session: call Benchmarks/run.")
    }
    guard rounds > 0, runs >= 10, !accounts.isEmpty, accounts.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("Rounds and accounts must be at least 1, runs at least 10.")
    }
  }

  func run() async throws {
    var groups: [SeededGroup] = []
    for count in accounts { groups.append(try await SeededGroup(accounts: count)) }
    print(Row.head)
    for operation in operations {
      for group in groups { print(try await measure(operation, group).line) }
    }
    print("\n\(rounds) rounds by turns, tokens of 1.2 to 1.7 kB. \(try await Machine.describe())")
  }

  private func measure(_ operation: Operation, _ group: SeededGroup) async throws -> Row {
    let subject = try await Subject(group: group)
    let floor = Floor(program: floor, group: group)
    let runs = operation.writes ? runs / 4 : runs
    let warmUp = max(5, runs / 5)  // a processor that was idle, or did the other's work, is slow at first
    var row = Row(operation: operation, accounts: group.accounts)
    for round in 0..<rounds {
      let total = warmUp + runs
      let ours = try await subject.times(operation, runs: total, version: 1 + round * total)
      let floor = try await floor.times(operation, runs: total)
      row.add(ours: Array(ours.dropFirst(warmUp)), floor: Array(floor.dropFirst(warmUp)))
    }
    return row
  }
}
