// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that the default collection exists and is unlocked.
struct DefaultCollectionCheck: Sendable {
  let client: SecretServiceClient

  static let name = "default-collection"

  func run() async throws -> CheckResult {
    let isGnome = try await client.traits().offersGnomeInterface
    guard let collection = try await client.collection(alias: "default") else {
      if isGnome {
        if try await client.collection(alias: "login") == nil {
          // The login keyring becomes the default collection when it is made.
          return .skipped("there is no login keyring")
        }
        return .warning(
          "The alias of the default collection refers to a missing collection: programs that store in it fail.",
          remedy: Self.setLogin)
      }
      if try await !client.traits().offersWalletInterface, try await client.collections().isEmpty {
        return .error(
          .groupLocked, "The Secret Service has no database open.",
          remedy: "Open your database, as in KeePassXC's window.")
      }
      return .error(
        .serviceUnavailable, "There is no default collection.", remedy: "sso-cache group create --prompt")
    }
    guard try await client.isLocked(collection) != nil else {
      return .error(
        .serviceUnavailable, "The alias of the default collection refers to a missing collection.",
        remedy: isGnome ? Self.setLogin : "sso-cache group create --prompt")
    }
    if isGnome, collection.text.hasSuffix("/collection/session") {
      return .warning(
        "The default collection is one that ends with the session, and what is in it is lost then.",
        remedy: Self.setLogin)
    }
    let label = try await client.label(ofCollection: collection)
    if try await client.isOpen(collection) {
      if try await asksForEach() {
        return .error(
          .groupLocked,
          "\(label) is open, and its entries are locked: the program asks before it gives one to another.",
          remedy: Self.disableConfirmation)
      }
      return .ok("The default collection is \(label), which is open.")
    }
    // gnome-keyring's groups, shared ones as well, are opened by the login keyring or are in it.
    if isGnome, let login = try await client.collection(alias: "login"), login != collection {
      return .ok("The default collection is \(label), which is locked. No group is made in it.")
    }
    return .error(
      .groupLocked, "The default collection, \(label), is locked.",
      remedy: "Unlock \(label), by signing in to the desktop or with the provider's own window.")
  }

  /// Returns whether items of an unlocked KeePassXC database are locked individually.
  ///
  /// KeePassXC can ask before it gives an entry to a program, and it treats each start of a program as a new program.
  private func asksForEach() async throws -> Bool {
    let traits = try await client.traits()
    if traits.offersGnomeInterface || traits.offersWalletInterface { return false }
    // The search returns items of open collections only.
    for marker in try await client.search(["kind": RecordKind.group.rawValue]).unlocked
    where try await client.isLocked(item: marker) == true { return true }
    return false
  }

  private static let disableConfirmation =
    "In KeePassXC's settings, under Secret Service Integration, turn off the question for each entry"
    + " (Confirm when passwords are retrieved by clients)."

  /// The command that makes the login keyring the default collection.
  private static let setLogin =
    "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets"
    + " org.freedesktop.Secret.Service.SetAlias string:default"
    + " objpath:/org/freedesktop/secrets/collection/login"
}
