// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The command `sso-cache sign-out`.
struct SignOut: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out",
    abstract: "Sign an account out and remove its tokens.",
    discussion: """
      With --entitlements only that app is signed out, and the tokens stay while another app of the client uses \
      them; with --client-id all apps of that client; with --everywhere all clients. --whole-group removes every \
      account and token of the group, for every app, and the record of sign-outs: an import may restore \
      everything. Nothing is revoked at the provider.

      Examples:
        sso-cache sign-out --client-id C --account ada@contoso.com
        sso-cache sign-out --account ada@contoso.com --everywhere --yes
        sso-cache sign-out --whole-group --group com.contoso.shared
      """)

  @OptionGroup var options: GroupOptions

  @Option(help: ArgumentHelp("Whom to sign out.", valueName: "identifier|username"))
  var account: String?

  @Option(
    help: ArgumentHelp(
      "Of several accounts of that name the one of this environment, as accounts shows it.",
      valueName: "host|issuer"))
  var environment: String?

  @Option(help: "The client to sign out of.")
  var clientID: String?

  @Flag(help: "Sign out of all clients.")
  var everywhere = false

  @Flag(help: "Remove every account and token of the group, for every app.")
  var wholeGroup = false

  @Flag(name: .shortAndLong, help: "Don't ask.")
  var yes = false

  func validate() throws {
    if wholeGroup {
      if account != nil || environment != nil || clientID != nil || everywhere {
        throw ValidationError(
          "--whole-group goes alone: leave out --account, --environment, --client-id and --everywhere.")
      }
      return
    }
    if account == nil { throw ValidationError("Name the --account to sign out, or --whole-group.") }
    if everywhere && clientID != nil {
      throw ValidationError("--everywhere is for all clients: leave out --client-id.")
    }
    if options.entitlements == nil && clientID == nil && !everywhere {
      throw ValidationError("Name the --client-id to sign out of, or --everywhere.")
    }
  }

  func run() async throws {
    let opened = try options.open()
    let directory = AccountDirectory(backend: opened.backend, sharesWithADAL: true)
    if wholeGroup {
      guard
        try Confirmation.agrees(
          "Remove every account and token of \(opened.group), for every app?", isConfirmed: yes)
      else {
        throw CancellationError()
      }
      try await directory.removeEverything(recordedAs: opened.app?.name ?? "sso-cache")
      return report(removed: "everything")
    }
    let found = try await directory.accounts(named: account ?? "")
      .filter { environment == nil || CloudEnvironment.areSame($0.environment, environment ?? "") }
    guard let account = try Self.single(found) else { return report(removed: nil) }
    guard
      try Confirmation.agrees("Sign \(account.displayText) out of \(scope(of: opened))?", isConfirmed: yes)
    else {
      throw CancellationError()
    }
    if let app = opened.app, !everywhere {
      let clients = clientID.map { [$0] } ?? account.clients
      if clients.isEmpty {
        throw ValidationError("No client holds the account by itself: name the --client-id.")
      }
      for client in clients {
        let cache = try TokenCache(
          opened: .init(group: opened.group, backend: opened.backend, app: app), clientID: client)
        try await cache.signOut(account)
      }
    } else {
      try await directory.signOut(account, clientID: clientID)
    }
    report(removed: account.displayText)
  }

  private func scope(of opened: GroupOptions.Opened) -> String {
    if everywhere { return "all apps of \(opened.group)" }
    if let app = opened.app { return app.name }
    return "all apps of the client \(Printer.printable(clientID ?? ""))"
  }

  private static func single(_ accounts: [Account]) throws -> Account? {
    guard accounts.count > 1 else { return accounts.first }
    throw SecretStoreError(.ambiguousAccount, "Several accounts have that name; --environment says which.")
  }

  private func report(removed: String?) {
    if options.json {
      Printer.json(.object(["signed_out": .bool(removed != nil)]))
    } else {
      Printer.line(removed.map { "Signed out: \($0)." } ?? "No such account is signed in; nothing to do.")
    }
  }
}
