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
    let bytes = try await CacheExchange(backend: opened.backend).exportUnified()
    Printer.write(bytes + [UInt8(ascii: "\n")])
  }
}
