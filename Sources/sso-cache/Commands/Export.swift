// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache export`.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print all accounts and tokens of a group as a cache of another library.",
    discussion: "The output holds tokens in clear.")

  @OptionGroup var options: GroupOptions

  @Option(help: "The format to write.")
  var format: CacheFormat

  func run() async throws {
    let opened = try options.open()
    let export = try await CacheExchange(backend: opened.backend).exportUnified()
    Printer.write(export.json + [UInt8(ascii: "\n")])
    if export.skippedByPeers > 0 {
      Printer.error(
        "sso-cache: note: \(export.skippedByPeers) access tokens for requested claims, one app or a key are marked "
          + "with ext_cache_key; other libraries skip them.\n")
    }
  }
}
