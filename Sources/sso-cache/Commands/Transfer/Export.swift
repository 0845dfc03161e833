// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import PartnerCaches
import SecretStoreCache
import StrictJSON

/// The command `sso-cache export`.
struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print a group as a cache of another library, or merge it into the cache of a tool.",
    discussion: """
      The output holds tokens in clear. --output creates a file that only you can read and overwrites nothing; shell \
      redirection would let others read the file. msal is the JSON that the MSALs share. adal-python and adal-objc hold what is \
      in the group in ADAL's format: the JSON of ADAL for Python, and the serialised cache of ADAL for macOS, which is \
      binary.

      --to merges the accounts and tokens of one client into the cache of azure-cli, of azure-identity-python, or of an \
      app that uses msal-extensions:LOCATION, and prints what was done. Tokens serve only apps with the same client ID, \
      which --client-id names (Azure CLI has its own). --family also writes the refresh tokens of Microsoft's family of \
      clients. The tool's lock is held meanwhile; if the tool has it, the export ends as busy after five seconds.

      Whatever the tool has of its own stays. Of two tokens the one that changed since the last transfer counts, and if \
      both changed, the newer. An account that the user signed out of at the tool is not written again, unless \
      --account names it. An account that only an export brought there is removed once the group is signed out of it.

      Examples:
        sso-cache export --format msal --output token_cache.json
        sso-cache export --to azure-cli --group com.contoso.shared
        sso-cache export --to msal-extensions:/home/ada/app/cache --client-id C
        sso-cache export --format adal-objc --output cache.plist
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "The format to write.")
  var format: CacheFormat?

  @Option(help: ArgumentHelp("Merge into the cache of this tool instead.", valueName: "tool"))
  var to: String?

  @Option(help: "With --to, the client whose accounts are written.", transform: ClientIDArgument.parse)
  var clientID: String?

  @Option(help: "With --to, only this account, even if it was signed out of at the tool.")
  var account: String?

  @OptionGroup var chosen: EnvironmentOption

  @Flag(help: "With --to, write the refresh tokens of the client's family, too.")
  var family = false

  @OptionGroup var output: OutputFile

  @OptionGroup var progress: ProgressOptions

  func run() async throws {
    let opened = try options.open()
    guard let format else { return try await exportToTool(opened) }
    switch format {
    case .msal: try await exportUnified(opened)
    case .adal(let format): try await exportADAL(opened, format)
    }
  }

  func validate() throws {
    guard (format == nil) != (to == nil) else {
      throw ValidationError("Name either a --format, or a tool to export --to.")
    }
    if account == nil, chosen.environment != nil { throw ValidationError("Name the --account, too.") }
    // `-` is refused, too: what is exported to a tool is not printed.
    if to != nil, output.path != nil { throw ValidationError("--output is for --format only.") }
    guard let format else { return }
    if clientID != nil || account != nil || chosen.environment != nil || family {
      throw ValidationError("--client-id, --account, --environment and --family are for --to only.")
    }
    guard CacheFormat.written.contains(where: { $0.name == format.name }) else {
      let names = CacheFormat.written.map(\.name).joined(separator: ", ")
      throw ValidationError("The format \(format.name) is only read; written are \(names).")
    }
    if options.json, case .adal(.objc) = format { try output.requireFile(for: format.name) }
  }

  private func exportToTool(_ opened: GroupOptions.Opened) async throws {
    let partner = try PartnerOptions.partner(to ?? "", in: PartnerOptions.folders())
    let export = try PartnerExport(
      to: partner, clientID: clientID, takesFamily: family,
      account: account.map { PartnerAccount(name: $0, environment: chosen.environment?.ofAuthority) },
      store: GroupOptions.store,
      backend: opened.backend)
    let work = LongWork(
      name: "export", title: "Exporting", outcome: "caches are written",
      style: progress.style(isJSON: options.json))
    let summary = try await work.run { try await export.run(progress: $0) }
    if options.json {
      return Printer.json(
        .object([
          "written": .init(integerLiteral: summary.written),
          "removed": .init(integerLiteral: summary.removed),
          "signed_out_there": .init(integerLiteral: summary.gone),
          "not_written": .init(integerLiteral: summary.unwritten),
        ]))
    }
    Printer.line("Done: \(summary.written) tokens written, \(summary.removed) accounts removed.")
    if summary.gone > 0 {
      Printer.error(
        "sso-cache: note: \(summary.gone) accounts were signed out of at \(partner.title) and are not written; name one "
          + "by --account to write it again.\n")
    }
    if summary.unwritten > 0 {
      Printer.error(
        "sso-cache: note: \(summary.unwritten) accounts are not written: an account at \(partner.title) has their keys, "
          + "because its identifier differs by letter case only.\n")
    }
  }

  /// The reading of the group; nothing is written before it is complete.
  private var reading: LongWork {
    LongWork(
      name: "export", title: "Reading", outcome: "records were read, and nothing was written", goesOn: false,
      style: progress.style(isJSON: options.json))
  }

  private func exportADAL(_ opened: GroupOptions.Opened, _ format: ADALFileFormat) async throws {
    let backend = opened.backend
    let file = try await reading.run { try await ADALTransfer(backend: backend).export(progress: $0) }
    let export = try file.serialized(as: format)
    try output.write(
      export.bytes + (format == .python ? [UInt8(ascii: "\n")] : []), isJSON: options.json)
    if export.leftOut > 0 {
      Printer.error(
        "sso-cache: note: the format has no place for \(export.leftOut) items; they are left out.\n")
    }
    DamageWarning(damaged: file.damaged, group: opened.group).print()
  }

  private func exportUnified(_ opened: GroupOptions.Opened) async throws {
    let backend = opened.backend
    let export = try await reading.run {
      try await CacheTransfer(backend: backend).exportUnified(progress: $0)
    }
    try output.write(export.json + [UInt8(ascii: "\n")], isJSON: options.json)
    if export.skippedByPeers > 0 {
      Printer.error(
        "sso-cache: note: other libraries ignore \(export.skippedByPeers) of the tokens, because they can't tell them "
          + "from others: access tokens with requested claims, for one app or bound to a key, and all tokens of an "
          + "account whose id exists at several issuers of a host.\n")
    }
    DamageWarning(damaged: export.damaged, group: opened.group).print()
  }
}
