// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import PartnerCaches
import SecretStoreCache
import StrictJSON

/// The command `sso-cache import`.
struct Import: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the cache of another library.",
    discussion: """
      Of two copies of a token, the newer one is kept, according to their own dates. An implausible date is ignored, \
      and a token without a date replaces none. Entries of a signed-out account are not imported, whatever client, \
      family, host or format the file names; only a sign-in or --replace brings them back. (After sign-out \
      --whole-group, the group has no record of sign-outs and imports everything.) A second import changes nothing; \
      --dry-run prints what would change.

      Outside Microsoft's clouds, an entry belongs to the issuer that it or its ID token names. Without an issuer, the \
      entry is kept and listed and can be signed out of, but no authority can use it. An account is imported \
      completely, or not at all if the group is emptied meanwhile.

      Tokens of an account and client that are too large for a record (1.6 MB) lose their access tokens, expired ones \
      first. If that is not enough, or one token has 1 MB, they are left out and named, and the others are imported.

      An import that was interrupted leaves what it has written, and the same import goes on with what is left.

      --replace makes the group equal to the file: accounts, tokens and ADAL entries of every app that are not in the \
      file are removed and signed out. It asks first, unless --yes is given.

      msal is the JSON of MSAL for Python, .NET, Java, Go and Node; adal-objc an archived keychain item of ADAL for \
      iOS and macOS, or its serialised cache; adal-dotnet the stream of ADAL.NET; adal-python the JSON of ADAL for \
      Python and Node; azure-cli the accessTokens.json of Azure CLI before 2.30. From an ADAL format \
      nothing is imported if an entry can't be read, unless --skip-invalid is given. Service principals, brokers' \
      tokens and placeholders of removed tokens are always skipped.

      --from takes what a tool of Microsoft's has of its own client: azure-cli, azd, azure-identity-python, azure-dotnet, \
      azure-java, azure-js, azureauth, or msal-extensions:LOCATION, where an app names the location. The tool's cache is \
      read under the tool's own locks and stays as it is. Tokens serve only apps with the same client ID. So the group also \
      keeps each account as a hint, without a token, from which apps can begin a sign-in; with --hints it keeps \
      nothing else, also from vscode and from the other tools that sso-cache partners lists.

      Examples:
        sso-cache import --format msal token_cache.json
        sso-cache import --from azure-cli --account ada@contoso.com
        sso-cache import --from msal-extensions:/home/ada/.contoso/cache --dry-run
        sso-cache import --format adal-python --dry-run cache.json
        sso-cache import --format msal --replace --yes token_cache.json
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: "The file's format.")
  var format: CacheFormat?

  @Option(help: ArgumentHelp("Take from the cache of this tool instead of a file.", valueName: "tool"))
  var from: String?

  @Option(help: "With --from, only this account: its identifier or user name.")
  var account: String?

  @OptionGroup var chosen: EnvironmentOption

  @Option(
    help: "With --from, only the tokens of this client; by default the tool's own.",
    transform: ClientIDArgument.parse)
  var clientID: String?

  @Flag(help: "With --from, take no tokens, only who is signed in.")
  var hints = false

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Leave out entries that can't be read. (MSAL's are kept as they are otherwise.)")
  var skipInvalid = false

  @Flag(help: "Make the group equal to the file.")
  var replace = false

  @Flag(name: .shortAndLong, help: "Don't ask before --replace removes what is not in the file.")
  var yes = false

  @OptionGroup var progress: ProgressOptions

  @Argument(help: "The file; - for standard input.", completion: .file())
  var file: String?

  func validate() throws {
    guard (format == nil) != (from == nil) else {
      throw ValidationError("Name either a --format and a file, or a tool to import --from.")
    }
    if from != nil, file != nil || replace || skipInvalid {
      throw ValidationError("A file, --replace and --skip-invalid are for --format only.")
    }
    if account == nil, chosen.environment != nil { throw ValidationError("Name the --account, too.") }
    if format != nil, file == nil || account != nil || chosen.environment != nil || clientID != nil || hints {
      throw ValidationError(
        file == nil
          ? "Name the file." : "--account, --environment, --client-id and --hints are for --from only.")
    }
  }

  func run() async throws {
    let opened = try options.open()
    guard let format, let file else { return try await importFromTool(opened) }
    let bytes = try InputFile.read(file)
    if dryRun {
      let plan = try await plan(bytes, format, opened)
      try check(plan, in: opened.group)
      return report(plan)
    }
    if replace && !yes {
      guard try await agrees(to: plan(bytes, format, opened), in: opened.group) else {
        throw CancellationError()
      }
    }
    var failures = RecordFailures()
    // An import finds what it replaces by attributes, and what it keeps by documents.
    if replace {
      try await failures.attempt(nil) {
        try await GroupOptions.store.correctAllAttributes(in: opened.group)
      }
    }
    var summary = ImportSummary()
    do {
      summary = try await failures.further { try await take(bytes, format, opened, isDryRun: false) }
    } catch let error as SecretStoreError where error.code == .lockTimedOut {
      // A record whose lock another app holds keeps neither the other records nor what is removed beside them.
      try await failures.attempt(nil) { throw error }
    }
    var left = RecordFailures()
    if replace {
      let removed = try await failures.further {
        try await left.attempt(nil) {
          try await GroupOptions.store.completeReplacement(in: opened.group)
        }
      }
      summary.removed += removed ?? 0
    }
    // What can't be read stays as well, and is named first.
    try await failures.attempt(nil) { try check(summary, in: opened.group) }
    try await failures.attempt(nil) { try left.check() }
    try failures.check()
    report(summary)
  }

  /// Imports the file, or returns what the import of its records would do.
  private func take(
    _ bytes: [UInt8], _ format: CacheFormat, _ opened: GroupOptions.Opened, isDryRun: Bool,
    beside misnamed: [MisnamedRecord] = []
  ) async throws -> ImportSummary {
    var rules = ImportOptions()
    rules.isDryRun = isDryRun
    rules.misnamed = misnamed
    rules.skipsUnreadable = skipInvalid
    rules.replaces = replace
    return try await work.run { [rules, skipInvalid] progress in
      switch format {
      case .msal:
        try await CacheTransfer(backend: opened.backend).importUnified(
          bytes, options: rules, progress: progress)
      case .adal(let format):
        try await ADALTransfer(backend: opened.backend).importFile(
          ADALFile(parsing: bytes, as: format, skippingInvalid: skipInvalid), options: rules,
          progress: progress)
      }
    }
  }

  /// Returns what the import would do, and nothing is changed.
  private func plan(
    _ bytes: [UInt8], _ format: CacheFormat, _ opened: GroupOptions.Opened
  ) async throws -> ImportSummary {
    guard replace else { return try await take(bytes, format, opened, isDryRun: true) }
    let store = GroupOptions.store
    let misnamed = try await store.misnamedItems(in: opened.group)
    var summary = try await take(bytes, format, opened, isDryRun: true, beside: misnamed.map(\.record))
    summary.removed += try await store.leftByReplacement(in: opened.group, after: summary.changed, misnamed)
    return summary
  }

  private var work: LongWork {
    LongWork(
      name: "import", title: "Importing",
      outcome: replace ? "records are imported or removed" : "records are imported",
      style: progress.style(isJSON: options.json))
  }

  /// Takes what a tool has, and keeps its accounts as hints.
  private func importFromTool(_ opened: GroupOptions.Opened) async throws {
    let partner = try PartnerOptions.partner(from ?? "", in: PartnerOptions.folders())
    let (backend, store) = (opened.backend, GroupOptions.store)
    let account = account.map { PartnerAccount(name: $0, environment: chosen.environment?.ofAuthority) }
    let (clientID, hints, dryRun) = (clientID, hints, dryRun)
    let (summary, count) = try await work.run { progress in
      let taken = try await PartnerImport(from: partner, in: store, account: account, clientID: clientID)
      var rules = ImportOptions()
      rules.isDryRun = dryRun
      var summary = ImportSummary()
      if !hints {
        summary = try await CacheTransfer(backend: backend).importUnified(
          taken.document.serialized(), options: rules, progress: progress)
      }
      var count = 0
      if let damage = try await backend.record(for: AccountDirectory.hintRecord).flatMap(DamagedRecord.init) {
        summary.damaged.append(damage)
      } else {
        count = try await AccountDirectory(backend: backend)
          .replaceHints(of: partner.name, with: taken.hints, isDryRun: dryRun)
      }
      if !hints, !dryRun {
        summary.damaged += try await partner.noteImport(clientID: clientID, from: store, into: backend)
      }
      return (summary, count)
    }
    try check(summary, hints: count, in: opened.group)
    report(summary, hints: count)
  }

  /// Throws an error that says what was done when not everything could be imported.
  private func check(_ summary: ImportSummary, hints: Int? = nil, in group: AccessGroup) throws {
    let left = ImportRemains(summary, in: group)
    guard let code = left.code else { return }
    let done = counts(summary, hints).contains { $0.count > 0 } ? "\(text(summary, hints)) " : ""
    throw SecretStoreError(code, done + left.detail, underlying: left)
  }

  /// Prints what was done.
  private func report(_ summary: ImportSummary, hints: Int? = nil) {
    options.json ? Printer.json(json(summary, hints)) : Printer.line(text(summary, hints))
  }

  /// Asks before records are removed or replaced, because they may belong to other apps.
  private func agrees(to plan: ImportSummary, in group: AccessGroup) throws -> Bool {
    if plan.removed == 0 && plan.updated == 0 { return true }
    return try Confirmation.agrees(
      "Remove \(plan.removed) and replace \(plan.updated) of the records of \(group), whichever app they are of?",
      isConfirmed: false)
  }

  /// Whether entries that can't be read are kept unchanged.
  ///
  /// Only the MSAL format has a place for them.
  private var keepsUnread: Bool {
    if case .msal = format { !skipInvalid } else { false }
  }

  private func counts(_ summary: ImportSummary, _ hints: Int?) -> [(name: String, count: Int)] {
    [
      ("added", summary.added), ("updated", summary.updated), ("unchanged", summary.unchanged),
      ("signed_out", summary.signedOut), ("removed", summary.removed),
      ("conflicting", summary.conflicting), (keepsUnread ? "kept_unread" : "left_out", summary.unreadable),
    ] + (hints.map { [("hints", $0)] } ?? [])
  }

  private func json(_ summary: ImportSummary, _ hints: Int?) -> JSONValue {
    var members: JSONObject = ["dry_run": .bool(dryRun)]
    for (name, count) in counts(summary, hints) { members[name] = .init(integerLiteral: count) }
    return .object(members)
  }

  private func text(_ summary: ImportSummary, _ hints: Int?) -> String {
    let parts = counts(summary, hints).filter { $0.count > 0 }.map { name, count in
      "\(count) \(name.replacing("_", with: " "))"
    }
    let what =
      parts.isEmpty
      ? (from == nil ? "nothing in the file" : "nothing in the tool's cache") : parts.joined(separator: ", ")
    return dryRun ? "Would do: \(what)." : "Done: \(what)."
  }
}
