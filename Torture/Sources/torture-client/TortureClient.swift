// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import SecretStoreCache

/// One app of the stress test.
///
/// It saves, refreshes, reads and signs out according to its seed, and logs each step.
@main
struct TortureClient: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "torture-client",
    abstract: "One of the apps that Scripts/torture lets loose on a group.",
    discussion: "Each operation leaves two lines in the journal: when it begins, and when it ends.")

  @Option(help: "The access group.")
  var group: String

  @Option(help: "The app's identifier.")
  var app: String

  @Option(help: "The client id.")
  var client: String

  @Option(help: "The family of clients; none when left out.")
  var family: String?

  @Option(help: "The scope that no other process asks for.")
  var ownScope: String

  @Option(help: "The token server's address.")
  var server: String

  @Option(help: "The journal, which is appended to.")
  var journal: String

  @Option(help: "A file; when it is there, only the first two accounts are signed in to.")
  var closing: String

  @Option(help: "What the choice of operations begins with.")
  var seed: UInt64

  @Option(help: "The number of the first operation.")
  var first = 0

  @Option(help: "How many operations.")
  var operations = 500

  @Option(help: "How many accounts; the first is never signed out of.")
  var accounts = 3

  @Option(help: "By when each call at the Secret Service has ended, in milliseconds.")
  var timeout = 2_000

  @Flag(help: "Keep in memory what was read, for as long as nobody has changed it.")
  var cachesRecords = false

  @Flag(help: "Know that no lock is shared with the others, as in a sandbox.")
  var isSandboxed = false

  @Flag(help: "Ask the agent, as an app in a sandbox does.")
  var isBehindAgent = false

  @Flag(help: "Save and refresh once for each account, and no more.")
  var isHealing = false

  func run() async throws {
    let server = TokenServer(address: server, client: client, family: family)
    let entitlements = try AppEntitlements(app: app, groups: [group])
    var options = SecretStoreOptions()
    options.timeout = .milliseconds(timeout)
    options.cachesRecords = cachesRecords
    if isSandboxed { options.sharesLocks = false }
    if isBehindAgent { options.transport = .agent }
    let cache = try SecretStore(options: options).tokenCache(
      for: entitlements, group: group, clientID: client,
      authority: try Authority("https://login.microsoftonline.com/common"), endpoint: server)
    let worker = Worker(
      cache: cache, server: server, journal: try Journal(path: journal), ownScope: ownScope,
      accounts: accounts, closing: closing)
    if isHealing {
      for account in 0..<accounts {
        try await worker.perform(.save, account, ownScope, number: first + 2 * account)
        try await worker.perform(.refresh, account, ownScope, number: first + 2 * account + 1)
      }
      return
    }
    // An operation depends only on its number, so a process that replaces another one continues the same plan.
    for number in first..<operations {
      var random = SplitMix64(seed: seed &+ UInt64(number))
      try await worker.perform(number: number, &random)
    }
  }
}
