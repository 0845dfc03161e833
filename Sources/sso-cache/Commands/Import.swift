// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache import`.
struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take up the cache of another library.",
    discussion: """
      A newer token is never replaced by an older one and a signed-out account never brought back, unless \
      --replace makes the group hold what the file holds and nothing else. A second run changes nothing.
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "The file's format.")
  var format: CacheFormat

  @Flag(help: "Say what would be done, and do none of it.")
  var dryRun = false

  @Flag(help: "Leave out entries that can't be read, instead of keeping them as they are.")
  var skipInvalid = false

  @Flag(help: "Make the group hold what the file holds and nothing else.")
  var replace = false

  @Argument(help: "The file; - for standard input.")
  var file: String

  func run() async throws {
    let opened = try options.open()
    var rules = ImportOptions()
    rules.isDryRun = dryRun
    rules.skipsUnreadable = skipInvalid
    rules.replaces = replace
    let exchange = CacheExchange(backend: opened.backend)
    let summary = try await exchange.importUnified(InputFile.read(file), options: rules)
    options.json ? Printer.json(json(summary)) : Printer.line(text(summary))
  }

  private func counts(_ summary: ImportSummary) -> [(name: String, count: Int)] {
    [
      ("added", summary.added), ("updated", summary.updated), ("unchanged", summary.unchanged),
      ("signed_out", summary.signedOut), ("removed", summary.removed),
      (skipInvalid ? "left_out" : "kept_unread", summary.unreadable),
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
