// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache export`.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print all accounts and tokens of a group as a cache of another library.",
    discussion: """
      The output holds tokens in clear. msal is the JSON that the MSALs share. adal-python and adal-objc hold what is \
      in the group in ADAL's format: the JSON of ADAL for Python, and the serialised cache of ADAL for macOS, which is \
      binary.

      Examples:
        sso-cache export --format msal > token_cache.json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "The format to write.")
  var format: CacheFormat

  func run() async throws {
    let opened = try options.open()
    switch format {
    case .msal: try await exportUnified(opened)
    case .adal(let format): try await exportADAL(opened, format)
    }
  }

  func validate() throws {
    guard CacheFormat.written.contains(where: { $0.name == format.name }) else {
      let names = CacheFormat.written.map(\.name).joined(separator: ", ")
      throw ValidationError("The format \(format.name) is only read; written are \(names).")
    }
  }

  private func exportADAL(_ opened: GroupOptions.Opened, _ format: ADALFileFormat) async throws {
    let export = try await ADALExchange(backend: opened.backend).export().serialized(as: format)
    Printer.write(export.bytes + (format == .python ? [UInt8(ascii: "\n")] : []))
    if export.leftOut > 0 {
      Printer.error(
        "sso-cache: note: the format has no place for \(export.leftOut) items; they are left out.\n")
    }
  }

  private func exportUnified(_ opened: GroupOptions.Opened) async throws {
    let export = try await CacheExchange(backend: opened.backend).exportUnified()
    Printer.write(export.json + [UInt8(ascii: "\n")])
    if export.skippedByPeers > 0 {
      Printer.error(
        "sso-cache: note: \(export.skippedByPeers) access tokens for requested claims, one app or a key are marked "
          + "with ext_cache_key; other libraries skip them.\n")
    }
  }
}
