// SPDX-License-Identifier: MIT

import ArgumentParser

/// Two processes that hammer one account: one saves, the other reads from its mirror.
@main
struct MirrorHammer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror-hammer", abstract: "What Scripts/torture --mirror runs.",
    subcommands: [Write.self, Read.self])
}
