// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command that reads repeatedly and counts stale results.
///
/// A result is stale when it is older than the save that was acknowledged before the read began.
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
    let hammered = try HammeredAccount(group: group, cachesRecords: true, timeout: .milliseconds(timeout))
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
