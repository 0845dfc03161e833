// SPDX-License-Identifier: MIT

import ADALCache
import ArgumentParser
import FoundationEssentials
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

  @Option(help: "The client to sign out of.", transform: ClientIDArgument.parse)
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
      var existed = false
      var failures = RecordFailures()
      try await failures.attempt(nil) {
        try await GroupOptions.store.correctAllAttributes(in: opened.group)
      }
      try await failures.attempt(nil) {
        existed = try await directory.removeEverything(recordedAs: Self.name(of: opened))
      }
      try await failures.attempt(nil) {
        existed = try await GroupOptions.store.completeSignOut(of: nil, in: opened.group) || existed
        try await directory.requireRemovableRecords()
      }
      try failures.check()
      return report(existed ? "everything" : nil, otherwise: "No account of the group is stored")
    }
    guard let account = try await account(in: directory, isForApp: opened.app != nil && !everywhere) else {
      let existed = try await removing(opened) { try await signOutAgain(opened, directory) }
      if !existed { try chosen.requireValid() }
      return report(
        existed ? Printer.printable(account ?? "") : nil, otherwise: "No such account is signed in")
    }
    try confirm(account.displayText, opened)
    let existed = try await removing(opened) {
      if let app = opened.app, !everywhere { return try await signOut(app, of: account, opened, directory) }
      return try await signOut(account, clientID, opened, directory)
    }
    report(existed ? account.displayText : nil, otherwise: "The account is not signed in there")
  }

  /// Runs a sign-out, and returns whether there was anything to remove.
  ///
  /// A copy of a record is removed together with the others, and the record doesn't show it.
  private func removing(
    _ opened: GroupOptions.Opened, _ signOut: () async throws -> Bool
  ) async throws -> Bool {
    let before = try await GroupOptions.store.accountItems(of: opened.group)
    let existed = try await signOut()
    return try await !before.isSubset(of: GroupOptions.store.accountItems(of: opened.group)) || existed
  }

  /// Signs all apps of a client, or of all clients, out of an account.
  ///
  /// - Returns: Whether there was anything of the account.
  func signOut(
    _ account: Account, _ clientID: String?, _ opened: GroupOptions.Opened, _ directory: AccountDirectory
  ) async throws -> Bool {
    try await Self.checking(account, clientID, opened, directory) {
      var failures = RecordFailures()
      try await failures.attempt(nil) { try await correctItems(of: account, clientID, opened, directory) }
      let existed = try await directory.signOut(
        account, clientID: clientID, recordedAs: Self.name(of: opened))
      try failures.check()
      return existed
    }
  }

  /// The name of the app that signs out, for the record of it.
  static func name(of opened: GroupOptions.Opened) -> String { opened.app?.name ?? "sso-cache" }

  /// Corrects the attributes of the account's items, so that a sign-out finds all that lists show.
  func correctItems(
    of account: Account, _ clientID: String?, _ opened: GroupOptions.Opened, _ directory: AccountDirectory
  ) async throws {
    try await GroupOptions.store.correctAttributes(
      ofItemsOf: account, clientID: clientID, in: opened.group, directory)
  }

  static var clientIsNotKnown: ValidationError {
    ValidationError("No client holds the account by itself: name the --client-id.")
  }

  /// Runs a step of a sign-out, and checks what is left of the account, also when something can't be read.
  ///
  /// - Returns: Whether there was anything of the account.
  static func checking(
    _ account: Account, _ clientID: String?, _ opened: GroupOptions.Opened, _ directory: AccountDirectory,
    _ step: () async throws -> Bool
  ) async throws -> Bool {
    let begin = Date.now
    var existed = false
    var unreadable: SecretStoreError?
    var failures = RecordFailures()
    try await failures.attempt(nil) {
      do {
        existed = try await step()
      } catch let error as SecretStoreError where error.underlying is UnattributedRecords {
        unreadable = error
      }
    }
    try await failures.attempt(nil) {
      existed =
        try await GroupOptions.store.completeSignOut(
          of: account, clientID: clientID, in: opened.group, directory) || existed
    }
    if existed {
      try await failures.attempt(nil) {
        try await directory.recordSignOut(
          of: account, clientID: clientID, recordedAs: Self.name(of: opened), at: begin)
      }
    }
    try await failures.attempt(nil) {
      if let unreadable { throw unreadable }
    }
    try failures.check()
    return existed
  }

  /// Runs a sign-out for each of several clients, and throws what failed at the end.
  ///
  /// - Returns: Whether one of them returned `true`.
  static func anyExisted<Client>(
    _ clients: [Client], _ signOut: (Client) async throws -> Bool
  ) async throws -> Bool {
    var existed = false
    var failures = RecordFailures()
    var other: (any Error)?
    for client in clients {
      do {
        existed =
          try await FurtherWaits.run(after: [other].compactMap { $0 as? SecretStoreError }) {
            try await failures.attempt(nil) { try await signOut(client) }
          } == true || existed
      } catch {
        other = other ?? error
      }
    }
    if let other { throw other }
    try failures.check()
    return existed
  }

  /// Returns the account that the options name.
  ///
  /// - Parameter isForApp: Whether one app is to be signed out. Then an account that nobody is signed in to, but of
  ///   which something is left, does not count.
  private func account(in directory: AccountDirectory, isForApp: Bool) async throws -> Account? {
    func remains() async throws -> [Account] {
      isForApp
        ? [] : try await chosen.chosen(among: directory.remains(of: account ?? ""), in: directory.backend)
    }
    do {
      let named = try await chosen.named(account ?? "", in: directory)
      let isCertain = named.isEmpty || !named.identified(by: account ?? "").isEmpty
      let unlisted = isCertain ? [] : try await signedOutAccounts(in: directory) + remains()
      let identified = unlisted.identified(by: account ?? "")
      if let account = try Account.single(meant(among: named + identified)), named.contains(account) {
        return account
      }
    } catch let error as SecretStoreError where error.code == .corruptItem {
      // What can't be read may be a copy of what was signed out.
      if try await signedOutAccounts(in: directory).isEmpty, try await remains().isEmpty { throw error }
    }
    guard try await signedOutAccounts(in: directory).isEmpty else { return nil }
    return try Account.single(await remains())
  }

  /// Returns the accounts that are meant: with an environment those with the identifier, if there are any.
  ///
  /// - Throws: `ambiguousAccount` when no environment is named, and the name is the identifier of an account and the
  ///   user name of another. One of them is signed out already, so that a list doesn't show who is meant.
  func meant(among accounts: [Account]) throws -> [Account] {
    let accounts = Set(accounts).sortedByUsername()
    let identified = accounts.identified(by: account ?? "")
    if identified.isEmpty || identified.count == accounts.count { return accounts }
    if chosen.environment == nil { _ = try Account.single(accounts) }
    return identified
  }

  func signedOutAccounts(in directory: AccountDirectory) async throws -> [Account] {
    try await chosen.chosen(
      among: directory.signedOutAccounts(named: account ?? ""), in: directory.backend)
  }

  /// Asks before an account is signed out.
  func confirm(_ name: String, _ opened: GroupOptions.Opened) throws {
    let isConfirmed = try Confirmation.agrees("Sign \(name) out of \(scope(of: opened))?", isConfirmed: yes)
    if !isConfirmed { throw CancellationError() }
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
