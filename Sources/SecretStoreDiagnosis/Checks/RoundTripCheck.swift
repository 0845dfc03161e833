// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that writes a test item, reads it back and deletes it.
struct RoundTripCheck: Sendable {
  let client: SecretServiceClient
  let environment: DiagnosticEnvironment
  /// The groups whose keyrings' files are looked at, too.
  var groups: [AccessGroup] = []

  static let name = "round-trip"

  /// - Returns: The check result, and the item's modification time by the daemon's clock, in seconds since 1970; `nil`
  ///   when there is none.
  func run() async throws -> (CheckResult, written: Int?) {
    do {
      let (proof, written) = try await FileLock(.diagnosis).run { try await prove() }
      // The test item is small. A group's keyring may be too large for the free disk space.
      let isGnome = try await client.traits().offersGnomeInterface
      guard proof.status == .ok, isGnome else { return (proof, written) }
      let folder = KeyringsFolder(environment, groups: groups)
      return (folder.closedFile ?? folder.insufficientSpace ?? folder.leftLinks ?? proof, written)
    } catch let error as BusError where error.meaning == .failed && error.name != BusError.accessDenied {
      return (notWritten("The Secret Service can't store an item (\(error))."), nil)
    } catch let error as SecretStoreError
      where error.code == .storageFailed && !(error.underlying is DeniedCall)
    {
      return (notWritten(error.detail), nil)
    }
  }

  private func prove() async throws -> (CheckResult, written: Int?) {
    guard let collection = try await collection() else {
      return (.skipped("there is no collection to write to"), nil)
    }
    guard try await client.isOpen(collection) else {
      return (.skipped("the collection is locked"), nil)
    }
    if try await client.traits().offersGnomeInterface,
      var result = KeyringsFolder(environment, groups: groups).link
    {
      result.forbidsRepairs = true
      return (result, nil)
    }
    if let damage = try await environment.keyrings.replacement(of: collection, client) {
      let error = damage.error("nothing was written, which keeps the file as it is")
      var result = CheckResult.error(error.code, error.detail, remedy: damage.remedy)
      result.forbidsRepairs = true
      return (result, nil)
    }
    return try await prove(in: collection)
  }

  /// Writes a test item to an unlocked collection, which makes gnome-keyring write the collection's file.
  func prove(in collection: ObjectPath) async throws -> (CheckResult, written: Int?) {
    let leftover = try await leftover(in: collection)
    let key = leftover?.key ?? ItemAttributes.randomKey()
    let secret = Secret(key + ItemAttributes.randomKey())
    let item: ObjectPath
    if let leftover {
      try await client.setSecret(secret, of: leftover.item)
      item = leftover.item
    } else {
      item = try await client.createItem(
        in: collection, label: "Test of sso-cache doctor", attributes: ItemAttributes.probe(key),
        schema: ItemAttributes.schema, secret: secret, replaces: false)
    }
    let readBack = try await client.secrets(of: [item])[item]
    let written = try await client.modified(item)
    if try await !client.deleteItem(item) { try await client.setSecret(Secret([]), of: item) }
    guard readBack == secret else { return (notWritten("What was written could not be read back."), nil) }
    return (.ok("An item was written, read back and deleted."), written > 0 ? written : nil)
  }

  /// Returns a test item that an earlier run has left, with its key; `nil` when there is none.
  ///
  /// It is empty where the provider asks before it deletes; after a run that was ended, its secret begins with its key.
  private func leftover(in collection: ObjectPath) async throws -> (item: ObjectPath, key: String)? {
    let items = try await client.ownItems(ItemAttributes.probe, in: collection)
    let secrets = try await client.secrets(of: Array(items.keys))
    for (item, attributes) in items {
      guard let key = attributes["key"], !key.isEmpty, let secret = secrets[item],
        secret.isEmpty || secret.read({ $0.starts(with: key.utf8) })
      else { continue }
      return (item, key)
    }
    return nil
  }

  /// Returns the collection for the test item: the login collection, which holds the passwords of groups, or else the
  /// default collection.
  private func collection() async throws -> ObjectPath? {
    if try await client.traits().offersGnomeInterface, let login = try await client.collection(alias: "login")
    {
      return login
    }
    return try await client.collection(alias: "default")
  }

  private func notWritten(_ detail: String) -> CheckResult {
    let keyrings = environment.keyrings.folder
    let isGone = FileReader().information(keyrings, followsLink: false) == nil
    if isGone {
      // In a sandbox the folder is not visible.
      if environment.sandbox != nil {
        return .error(.storageFailed, detail, remedy: GeneralRemedy.text(for: .storageFailed))
      }
      if let damage = environment.keyrings.folderDamage() {
        return .error(.storageFailed, detail, remedy: damage.remedy)
      }
      if let making = environment.makingKeyrings { return folderGone(detail, making: making) }
    }
    var result = cause(of: detail, isGone ? FileOwner.existing(above: keyrings) : keyrings)
    if environment.sandbox == nil, environment.daemon != nil, let file = environment.keyrings.missingLogin {
      result.detail += " The login keyring's file \(file) is gone. \(LoginCheck.heldOnly)"
    }
    return result
  }

  /// Returns the result for a write that failed.
  private func cause(of detail: String, _ folder: String) -> CheckResult {
    if let disk = UnwritableDisk(of: folder) {
      return .error(.storageFailed, "\(detail) \(disk.detail)", remedy: disk.remedy)
    }
    if let closed = KeyringsFolder(environment, groups: groups).closedFile { return closed }
    if let damage = environment.keyrings.folderDamage(writes: true) {
      let isHeldOnly = environment.keyrings.missingLogin != nil
      return .error(.storageFailed, detail, remedy: isHeldOnly ? LoginCheck.keeping(damage) : damage.remedy)
    }
    if unsafe access(folder, R_OK | W_OK | X_OK) != 0 {
      return .error(.storageFailed, detail, remedy: "chmod u+rwx \(ShellWord.quoted(folder))")
    }
    return ofDaemon(detail)
  }

  /// Returns the result when the files can be written, so that the daemon itself is the cause.
  private func ofDaemon(_ detail: String) -> CheckResult {
    guard let daemon = environment.daemon, SystemProcess(daemon).hasNoFreeDescriptor else {
      return .error(
        .storageFailed, "\(detail) Its files can be written; its messages may say why.",
        remedy: "Read the messages of the Secret Service: journalctl --user --since=-1h")
    }
    return .error(
      .storageFailed, "\(detail) The keyring daemon has as many files open as it may.",
      remedy: environment.endingDaemon(daemon))
  }

  /// Returns the result when the folder was moved or deleted while the daemon runs.
  private func folderGone(_ detail: String, making: String) -> CheckResult {
    .error(
      .storageFailed,
      "\(detail) The folder \(environment.keyrings.folder) is gone, and what was in it is lost when the keyring daemon"
        + " ends: don't log out before it is there again. If it was moved, move it back.",
      remedy: "\(making) && sso-cache doctor --fix")
  }
}
