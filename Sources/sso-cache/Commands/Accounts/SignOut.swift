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

  @OptionGroup var chosen: EnvironmentOption

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
      if account != nil || chosen.environment != nil || clientID != nil || everywhere {
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
      var existed = try await directory.removeEverything(recordedAs: opened.app?.name ?? "sso-cache")
      existed = try await GroupOptions.store.checkSignOut(of: nil, in: opened.group) || existed
      return report(existed ? "everything" : nil, otherwise: "No account of the group is stored")
    }
    guard let account = try await account(in: directory) else {
      try await signOutAgain(opened, directory)
      return report(nil, otherwise: "No such account is signed in")
    }
    guard
      try Confirmation.agrees("Sign \(account.displayText) out of \(scope(of: opened))?", isConfirmed: yes)
    else {
      throw CancellationError()
    }
    var existed = false
    if let app = opened.app, !everywhere {
      let clients = clientID.map { [$0] } ?? account.clients
      if clients.isEmpty {
        throw ValidationError("No client holds the account by itself: name the --client-id.")
      }
      for client in clients {
        let cache = try TokenCache(
          opened: .init(group: opened.group, backend: opened.backend, app: app), clientID: client)
        existed = try await cache.accounts().contains(account) || existed
        try await cache.signOut(account)
      }
      let used = try await directory.accounts().first { $0 == account }?.clients ?? []
      for client in clients where !used.contains(client) {
        try await GroupOptions.store.checkSignOut(of: account, clientID: client, in: opened.group)
      }
    } else {
      existed = try await directory.signOut(account, clientID: clientID)
      existed =
        try await GroupOptions.store.checkSignOut(of: account, clientID: clientID, in: opened.group) || existed
    }
    report(existed ? account.displayText : nil, otherwise: "The account is not signed in there")
  }

  /// Returns the account that the options name.
  private func account(in directory: AccountDirectory) async throws -> Account? {
    do {
      return try Account.single(chosen.chosen(among: await directory.accounts(named: account ?? "")))
    } catch let error as SecretStoreError where error.code == .corruptItem {
      // What can't be read may be a copy of what was signed out.
      guard try await signedOutAccounts(in: directory).isEmpty else { return nil }
      throw error
    }
  }

  private func signedOutAccounts(in directory: AccountDirectory) async throws -> [Account] {
    chosen.chosen(among: try await directory.signedOutAccounts(named: account ?? ""))
  }

  /// Removes the copies of an account that is signed out already: a locked keyring may have kept them.
  private func signOutAgain(_ opened: GroupOptions.Opened, _ directory: AccountDirectory) async throws {
    for account in try await signedOutAccounts(in: directory) {
      let isOfAllClients = opened.app == nil || everywhere || clientID != nil
      let clients: [String?] = isOfAllClients ? [clientID] : account.clients
      for client in clients {
        try await directory.signOut(account, clientID: client)
        try await GroupOptions.store.checkSignOut(of: account, clientID: client, in: opened.group)
      }
    }
  }

  private func scope(of opened: GroupOptions.Opened) -> String {
    if everywhere { return "all apps of \(opened.group)" }
    if let app = opened.app { return app.name }
    return "all apps of the client \(Printer.printable(clientID ?? ""))"
  }

  private func report(_ removed: String?, otherwise: String) {
    if options.json {
      Printer.json(.object(["signed_out": .bool(removed != nil)]))
    } else {
      Printer.line(removed.map { "Signed out: \($0)." } ?? "\(otherwise); nothing to do.")
    }
  }
}
