// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import PartnerCaches
import SecretStoreCache
import StrictJSON

/// The command `sso-cache partners`.
struct Partners: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "partners",
    abstract: "Show the token caches of Microsoft's tools, and who is signed in there.",
    discussion: """
      Nothing is unlocked or changed, and no token is shown. An app that uses msal-extensions for Python keeps its \
      cache under a digest of the location that it names: --location names it, too. The caches of apps that use \
      MSAL.NET's extensions, or Visual Studio Code's own storage, have names that only these apps know.

      Warned of are caches in plain text, items that several tools overwrite, and lock files that were left behind.

      Examples:
        sso-cache partners
        sso-cache partners --all --json
        sso-cache partners --location ~/.contoso/cache.bin
      """)

  @OptionGroup var log: LogOptions

  @Flag(help: "List the tools that are not there, too.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Also the cache of msal-extensions at this location, as the app names it.", valueName: "path")
  )
  var location: [String] = []

  @Flag(help: "Print one JSON document.")
  var json = false

  @OptionGroup var progress: ProgressOptions

  func run() async throws {
    let folders = try PartnerOptions.folders()
    let named = try location.map { try PartnerOptions.partner("msal-extensions:\($0)", in: folders) }
    let work = LongWork(
      name: "partners", title: "Reading", outcome: "tools are read", goesOn: false,
      style: progress.style(isJSON: json))
    let partners = Partner.all(in: folders) + named
    let found = try await work.run {
      try await PartnerReport.all(of: partners, in: SecretStore(), progress: $0)
    }
    let reports = found.filter { all || $0.isThere || !$0.warnings.isEmpty }
    if json { return Printer.json(.object(["partners": .array(reports.map(Self.json))])) }
    let hidden = found.filter { !$0.isThere && $0.caches.contains(where: \.isHidden) }
    Printer.table(
      ["TOOL", "USERNAME", "TENANT", "CLIENT", "UNTIL", "STATE", "WHERE"], reports.flatMap(Self.rows),
      whole: ["TOOL"], styles: ["locked": .yellow, "plain text": .red, "unreadable": .red],
      none: "None of Microsoft's tools has a cache here\(hidden.isEmpty ? "" : " that can be seen").")
    if !hidden.isEmpty {
      let names = hidden.map(\.partner.name).joined(separator: ", ")
      Printer.line("\nWhether the locked keyring has a cache can't be seen of: \(names).")
    }
    for report in reports where !report.warnings.isEmpty {
      Printer.line("\n\(report.partner.title):")
      for warning in report.warnings { Printer.line("  warning: \(warning)") }
    }
  }

  private static func rows(_ report: PartnerReport) -> [[String]] {
    let caches = report.caches.filter { $0.isThere || $0.isHidden }
    if caches.isEmpty { return [[report.partner.name, "-", "-", "-", "-", "absent", "-"]] }
    return caches.flatMap { cache in
      let place = [cache.shownState, cache.plainFile ?? cache.place.location]
      let signIns = cache.document?.signIns ?? []
      if signIns.isEmpty { return [[report.partner.name, "-", "-", "-", "-"] + place] }
      return signIns.map { signIn in
        let until = signIn.expiresOn?.formatted(.iso8601) ?? "-"
        return [
          report.partner.name, signIn.username, signIn.tenant, signIn.clientID ?? "-",
          signIn.hasRefreshToken ? "renewed" : until,
        ] + place
      }
    }
  }

  private static func json(_ report: PartnerReport) -> JSONValue {
    .object([
      "name": .string(report.partner.name),
      "title": .string(report.partner.title),
      "there": .bool(report.isThere),
      "caches": .array(report.caches.filter { $0.isThere || $0.isHidden }.map(json)),
      "warnings": .array(report.warnings.map(JSONValue.string)),
    ])
  }

  private static func json(_ cache: PartnerCache) -> JSONValue {
    .object([
      "location": .string(cache.plainFile ?? cache.place.location),
      "state": .string(cache.state.name),
      "plain_text": .bool(cache.plainFile != nil),
      "accounts": .array(
        (cache.document?.signIns ?? []).map { signIn in
          .object([
            "identifier": .string(signIn.identifier),
            "username": .string(signIn.username),
            "environment": .string(signIn.environment),
            "tenant": .string(signIn.tenant),
            "client_id": signIn.clientID.map(JSONValue.string) ?? .null,
            "expires_on": signIn.expiresOn.map { .init(integerLiteral: Int($0.timeIntervalSince1970)) }
              ?? .null,
            "has_refresh_token": .bool(signIn.hasRefreshToken),
          ])
        }),
    ])
  }
}

extension PartnerCache {
  fileprivate var shownState: String { document != nil && plainFile != nil ? "plain text" : state.name }
}
