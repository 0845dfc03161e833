// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache group copy`.
struct GroupCopy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy what a group keeps into another group.",
    discussion: """
      Sign-ins in MSAL's and ADAL's format, the states of apps and their own secrets are copied, and the first group \
      stays as it is. Of two copies of a token the newer one is kept. Accounts that are signed out in the second group \
      are not copied, and a secret that it has with another content stays; both are counted. What can't be read is \
      left out and named. A second copy copies only what is new; --dry-run prints what would be copied.

      With --entitlements the app must list both groups. Once every app has moved, group delete removes the first one.

      Examples:
        sso-cache group copy --from com.microsoft.adalcache \\
          --to com.contoso.shared --dry-run
        sso-cache group copy --from com.microsoft.adalcache \\
          --to com.contoso.shared
        sso-cache group copy --from com.contoso.shared --to com.contoso.shared \\
          --to-publisher contoso
      """)

  @Option(help: ArgumentHelp("The group to copy; it stays as it is.", valueName: "group"))
  var from: String

  @Option(help: ArgumentHelp("The group to copy into.", valueName: "group"))
  var to: String

  @Option(help: "The publisher of the group to copy, where it is another's than --publisher.")
  var fromPublisher: String?

  @Option(help: "The publisher of the group to copy into, where it is another's.")
  var toPublisher: String?

  @OptionGroup var acting: ActingOptions

  @Flag(help: "Print what would be copied, and change nothing.")
  var dryRun = false

  @OptionGroup var progress: ProgressOptions

  func validate() throws {
    let publishers = [fromPublisher, toPublisher]
    if acting.entitlements != nil, publishers.contains(where: { $0 != nil }) {
      throw ValidationError("An app copies groups of its own publisher only.")
    }
  }

  func run() async throws {
    let app = try acting.actingApp()
    func group(_ name: String, _ publisher: String?) throws -> AccessGroup {
      try app?.group(name) ?? acting.group(name, publisher: publisher)
    }
    let (source, target) = try (group(from, fromPublisher), group(to, toPublisher))
    guard source != target else { throw ValidationError("--from and --to name the same group.") }
    let (former, backend) = (GroupOptions.store.backend(for: source), GroupOptions.store.backend(for: target))
    // An error of the first group has a remedy for it.
    Invocation.group = source
    let work = LongWork(
      name: "copy", title: "Copying", outcome: "records are copied",
      style: progress.style(isJSON: acting.json))
    let summary = try await work.run { [dryRun] progress in
      _ = try await former.record(for: EnvironmentAliases.record)
      Invocation.group = target
      return try await CacheTransfer(backend: backend).copyRecords(
        from: former, isDryRun: dryRun, progress: progress)
    }
    DamageWarning(damaged: summary.leftOut, group: source).print()
    let left = ImportRemains(summary, in: target)
    if let code = left.code {
      throw SecretStoreError(code, "\(text(summary)) \(left.detail)", underlying: left)
    }
    acting.json ? Printer.json(json(summary)) : Printer.line(text(summary))
  }

  private func counts(_ summary: ImportSummary) -> [(name: String, count: Int)] {
    [
      ("added", summary.added), ("updated", summary.updated), ("unchanged", summary.unchanged),
      ("signed_out", summary.signedOut), ("conflicting", summary.conflicting),
      ("left_out", summary.leftOut.count),
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
    let what = parts.isEmpty ? "nothing in the group" : parts.joined(separator: ", ")
    return dryRun ? "Would do: \(what)." : "Done: \(what)."
  }
}
