// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache import`.
struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take up the cache of another library.",
    discussion: """
      A newer token is never replaced by an older one and a signed-out account never brought back, unless \
      --replace makes the group hold what the file holds and nothing else. A second run changes nothing.

      msal is the JSON of MSAL for Python, .NET, Java, Go and Node; adal-objc an archived keychain item of ADAL for \
      iOS and macOS, or its serialised cache; adal-dotnet the stream of ADAL.NET; adal-python the JSON of ADAL for \
      Python and Node; azure-cli the accessTokens.json of Azure CLI before 2.30. Of ADAL's formats nothing is taken up \
      when an entry can't be read, unless --skip-invalid leaves it out; service principals, brokers' tokens and the \
      places of removed tokens always are.

      Examples:
        sso-cache import --format msal token_cache.json
        sso-cache import --format adal-python --dry-run cache.json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "The file's format.")
  var format: CacheFormat

  @Flag(help: "Say what would be done, and do none of it.")
  var dryRun = false

  @Flag(help: "Leave out entries that can't be read. (MSAL's are kept as they are otherwise.)")
  var skipInvalid = false

  @Flag(help: "Make the group hold what the file holds and nothing else.")
  var replace = false

  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String

  func run() async throws {
    let opened = try options.open()
    var rules = ImportOptions()
    rules.isDryRun = dryRun
    rules.skipsUnreadable = skipInvalid
    rules.replaces = replace
    let bytes = try InputFile.read(file)
    let summary =
      switch format {
      case .msal:
        try await CacheExchange(backend: opened.backend).importUnified(bytes, options: rules)
      case .adal(let format):
        try await ADALExchange(backend: opened.backend).importFile(
          ADALFile(parsing: bytes, as: format, skippingInvalid: skipInvalid), options: rules)
      }
    options.json ? Printer.json(json(summary)) : Printer.line(text(summary))
  }

  /// Whether what can't be read is kept as it is, which a cache of MSAL's has a place for.
  private var keepsUnread: Bool {
    if case .msal = format { !skipInvalid } else { false }
  }

  private func counts(_ summary: ImportSummary) -> [(name: String, count: Int)] {
    [
      ("added", summary.added), ("updated", summary.updated), ("unchanged", summary.unchanged),
      ("signed_out", summary.signedOut), ("removed", summary.removed),
      (keepsUnread ? "kept_unread" : "left_out", summary.unreadable),
    ]
  }

  private func json(_ summary: ImportSummary) -> JSONValue {
    var members: JSONObject = ["dry_run": .bool(dryRun)]
    for (name, count) in counts(summary) { members[name] = .init(integerLiteral: count) }
    return .object(members)
  }

  private func text(_ summary: ImportSummary) -> String {
    let parts = counts(summary).filter { $0.count > 0 }.map { name, count in
      "\(count) \(name.replacing("_", with: " "))"
    }
    let what = parts.isEmpty ? "nothing in the file" : parts.joined(separator: ", ")
    return dryRun ? "Would do: \(what)." : "Done: \(what)."
  }
}
