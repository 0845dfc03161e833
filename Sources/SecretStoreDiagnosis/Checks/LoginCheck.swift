// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that the login collection, which holds the groups' passwords, exists and is unlocked.
struct LoginCheck: Sendable {
  let client: SecretServiceClient
  /// A group whose unlocking also unlocks the login collection; `nil` when there is none.
  let group: AccessGroup?
  let environment: DiagnosticEnvironment

  static let name = "login"

  func run() async throws -> CheckResult {
    guard try await client.traits().offersGnomeInterface else {
      return try await unseenGroups()
        ?? .ok("This provider has no login keyring; the default collection counts.")
    }
    let files = environment.keyrings
    if let daemon = environment.daemon, let mounts = DaemonsMounts(of: daemon, files.folder) {
      return mounts.result
    }
    if let damage = files.folderDamage(writes: true) {
      if let file = files.missingLogin, try await client.collection(alias: "login") != nil {
        return unwritten(file, damage)
      }
      let error = damage.error("the keyrings are in it")
      return .error(error.code, error.detail, remedy: damage.remedy)
    }
    if let damage = try await files.missedLogin(client) { return damaged(damage) }
    guard let login = try await client.collection(alias: "login"),
      let isLocked = try await client.isLocked(login)
    else { return try await missing() }
    if isLocked, let replaced = files.replacedLogin { return damaged(replaced) }
    if !isLocked { return leftBehind ?? .ok("The login keyring is open.") }
    return .error(
      .groupLocked,
      "The login keyring is locked: no group can be made, and none that is locked opens. If every login leaves it locked,"
        + " its password is another one than the login's, which Passwords and Keys can change.",
      remedy: environment.unlocking(group))
  }

  /// Returns the result when another program is the Secret Service and gnome-keyring's files have groups that it lacks.
  private func unseenGroups() async throws -> CheckResult? {
    guard environment.sandbox == nil, environment.privateKeyring == nil, let program = environment.program
    else { return nil }
    let files = environment.keyrings
    let found = try await client.search(["kind": RecordKind.group.rawValue])
    // A locked database may have them.
    guard found.unsearchedCollections.isEmpty else { return nil }
    let markers = try await client.attributes(of: found.unlocked + found.locked)
    let seen = markers.values.compactMap { ItemAttributes.group($0)?.name }
    let unseen = files.groupLabels.filter { label in label.map(seen.contains) != true }
    if unseen.isEmpty { return nil }
    let example = unseen.compactMap(\.self).first.map { ", such as \($0)" } ?? ""
    let groups = Quantity.of(unseen.count, "access group")
    let folder = ShellWord.quoted(files.folder)
    return .warning(
      "\(program.name), process \(program.process), is the Secret Service, and does not have what is in gnome-keyring's"
        + " files in \(files.folder): \(groups) that can't be seen here\(example).",
      remedy: "To use them, \(program.leaving), then \(NewLogin.words); or, where nobody needs these"
        + " keyrings, move \(folder) away.")
  }

  /// Returns the result when the daemon alone has the login keyring still, and can't write it.
  private func unwritten(_ file: String, _ damage: KeyringDamage) -> CheckResult {
    let error = damage.error("the keyring daemon can't write the login keyring, whose file \(file) is gone")
    return .error(error.code, "\(error.detail) \(Self.heldOnly)", remedy: Self.keeping(damage))
  }

  /// Returns the remedy while only the daemon's memory has the login keyring, which doctor's test item has it write.
  static func keeping(_ damage: KeyringDamage) -> String {
    damage.remedy(then: "run sso-cache doctor again before you log out.", movingAway: "the file")
  }

  /// What is to be said while only the daemon's memory has the login keyring.
  static let heldOnly =
    "What is in it is lost when the keyring daemon ends: don't log out before sso-cache doctor finds nothing wrong."

  /// Returns the result when there is no login collection.
  ///
  /// While groups are unlocked, the daemon must not be replaced: a new daemon could not unlock them.
  private func missing() async throws -> CheckResult {
    let open = try await client.search(["kind": RecordKind.group.rawValue]).unlocked
    if environment.sandbox == nil, let cause = KeyringsFolder(environment, groups: []).writeFailure {
      return .error(
        .storageFailed,
        "There is no login keyring, and the keyring daemon can't make one. \(cause.detail)"
          + (open.isEmpty
            ? ""
            : " With it the passwords of the groups that are open now are gone: don't log out before sso-cache doctor"
              + " finds nothing wrong."),
        remedy: cause.remedy)
    }
    let files = environment.keyrings
    if environment.sandbox == nil, files.keyrings.isEmpty, files.isMountPoint {
      let folder = ShellWord.quoted(files.folder)
      return .error(
        .serviceUnavailable,
        "There is no login keyring, and something is mounted at \(files.folder), which hides what was there before.",
        remedy:
          "If there were keyrings before it was mounted: sudo umount \(folder), then \(NewLogin.words). Else:"
          + " \(environment.restarting)")
    }
    if open.isEmpty {
      return .error(
        .serviceUnavailable, "There is no login keyring, so that no group can be made without a dialog.",
        remedy: environment.restarting)
    }
    return .error(
      .serviceUnavailable,
      "The login keyring is gone, and with it the passwords of the groups that are open now. Don't log out, nor restart the"
        + " keyring daemon, before there is a new one and sso-cache doctor --fix has been run.",
      remedy: [environment.makingKeyrings, ToolCommand.makeLogin].compactMap(\.self).joined(separator: " && ")
    )
  }

  /// The result when there are more keyrings in a folder that the daemon would use in another set-up.
  private var leftBehind: CheckResult? {
    guard environment.privateKeyring == nil, let home = environment.variable("HOME"),
      !environment.keyrings.isGuess
    else { return nil }
    let shells = KeyringFiles(environment: environment.variables)
    if shells.exists(KeyringFiles.login),
      let ofShell = leftBehind(
        in: shells.folder, countsLogin: true, "its HOME or XDG_DATA_HOME is not the one of this shell",
        remedy:
          "If these are the right ones, have your login set HOME and XDG_DATA_HOME as this shell has them, as"
          + " in ~/.config/environment.d, and \(NewLogin.words)")
    {
      return ofShell
    }
    guard environment.daemon.flatMap({ SystemProcess($0).environment?["HOME"] }) == home else { return nil }
    let folder = environment.keyrings.folder
    // The remedy hides the present keyrings: that is no advice where the other folder has a login keyring only.
    let hidesOthers = environment.keyrings.keyrings.count > 1
    let usual = "\(home)/.local/share/keyrings"
    let ofOther = leftBehind(
      in: usual, countsLogin: !hidesOthers || KeyringFiles(folder: usual).keyrings.count > 1,
      "XDG_DATA_HOME leads it to \(folder)",
      remedy:
        "If these are the right ones, and not those in \(folder), remove XDG_DATA_HOME where your login sets it, as in"
        + " ~/.profile or ~/.config/environment.d, and \(NewLogin.words)"
    )
    if ofOther != nil || hidesOthers { return ofOther }
    return leftBehind(
      in: "\(home)/.gnome2/keyrings", countsLogin: false,
      "that is an earlier version's, and it uses \(folder) where that is there",
      remedy: "mv \(ShellWord.quoted(folder)) \(ShellWord.aside(folder)), then \(NewLogin.words)")
  }

  /// Returns the result when a folder has keyrings that the daemon's own lacks.
  ///
  /// - Parameters:
  ///   - countsLogin: Whether another login keyring counts, without which the others can't be opened.
  ///   - cause: Why the daemon does not look into it.
  ///   - remedy: What has the daemon look there.
  private func leftBehind(
    in folder: String, countsLogin: Bool, _ cause: String, remedy: String
  ) -> CheckResult? {
    let (files, own) = (KeyringFiles(folder: folder), environment.keyrings)
    let login = FileIdentity(files.path(of: KeyringFiles.login))
    let hasOtherLogin = login != nil && login != FileIdentity(own.path(of: KeyringFiles.login))
    let missing = files.keyrings.subtracting(own.keyrings).sorted()
    let what: String
    if let first = missing.first {
      what = "\(Quantity.of(missing.count, "more keyring")) can be found, such as \(first)"
    } else if countsLogin, hasOtherLogin {
      what = "another login keyring is"
    } else {
      return nil
    }
    return .warning(
      "The login keyring is open. The keyring daemon does not look into \(folder), where \(what): \(cause).",
      remedy: "\(remedy); or, where nobody needs these keyrings, move \(ShellWord.quoted(folder)) away.")
  }

  private func damaged(_ damage: KeyringDamage) -> CheckResult {
    .error(
      .storageFailed,
      "The login keyring's file \(damage.path) is there, and \(damage.reason): the keyring daemon goes on without the"
        + " passwords of the groups that are in it.", remedy: damage.remedy)
  }
}
