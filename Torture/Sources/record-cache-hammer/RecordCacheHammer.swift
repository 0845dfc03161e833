// SPDX-License-Identifier: MIT

import ArgumentParser

/// A stress test of the record cache with two processes and one account: one saves, the other reads from its record
/// cache.
@main
struct RecordCacheHammer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record-cache-hammer", abstract: "What Scripts/torture --record-cache runs.",
    subcommands: [Write.self, Read.self])
}
