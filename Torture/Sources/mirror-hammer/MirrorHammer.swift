// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// Two processes that hammer one account: one saves, the other reads from its mirror.
@main
struct MirrorHammer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror-hammer", abstract: "What Scripts/torture --mirror runs.",
    subcommands: [Write.self, Read.self])
}

/// Saves one number after the other, until it is killed; those that were acknowledged are in the file.
struct Write: AsyncParsableCommand {
  @Option(help: "The access group.")
  var group: String

  @Option(help: "The file with the number of the newest acknowledged save.")
  var acknowledged: String

  @Option(help: "By when a save has ended, in milliseconds.")
  var timeout = 1_000

  @Option(help: "How long to rest after each save, in milliseconds.")
  var rest = 5

  func run() async throws {
    let newest = try Acknowledged(path: acknowledged)
    let account = try HammeredAccount(group: group, keepsMirror: false, timeout: .milliseconds(timeout))
    // Numbers that an earlier process may have saved without a word are passed over.
    var number = newest.read() + 1_000
    while true {
      number += 1
      do {
        try await account.save(number)
        newest.write(number)
      } catch is SecretStoreError {}
      try await Task.sleep(for: .milliseconds(rest))
    }
  }
}

/// Reads, and counts what is older than what was acknowledged before the reading began.
struct Read: AsyncParsableCommand {
  @Option(help: "The access group.")
  var group: String

  @Option(help: "The file with the number of the newest acknowledged save.")
  var acknowledged: String

  @Option(help: "How many reads.")
  var reads = 1_000_000

  @Option(help: "By when a read has ended, in milliseconds.")
  var timeout = 5_000

  func run() async throws {
    let newest = try Acknowledged(path: acknowledged)
    let hammered = try HammeredAccount(group: group, keepsMirror: true, timeout: .milliseconds(timeout))
    let account = try await hammered.account()
    var (stale, failed, values) = (0, 0, Set<UInt64>())
    for _ in 0..<reads {
      let least = newest.read()
      do {
        let number = try await hammered.number(of: account)
        if number < least { stale += 1 }
        values.insert(number)
      } catch is SecretStoreError {
        failed += 1
      }
    }
    print("\(reads) \(stale) \(failed) \(values.count)")
  }
}
