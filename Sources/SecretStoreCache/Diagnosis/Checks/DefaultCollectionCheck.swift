// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether there is a default collection, and it is open.
struct DefaultCollectionCheck: Sendable {
  let client: SecretServiceClient

  static let name = "default-collection"

  func find() async throws -> Finding {
    let isGnome = try await client.traits().offersGnomeInterface
    guard let collection = try await client.collection(alias: "default") else {
      if isGnome, try await client.collection(alias: "login") != nil {
        return .warning(
          "The default collection is one that is not there, and a group that shares it can't be made.",
          remedy: Self.setLogin)
      }
      return .error(
        .serviceUnavailable, "There is no default collection.",
        remedy: isGnome
          ? GeneralRemedy.startGnomeKeyring(replacing: true) : "sso-cache group create --prompt")
    }
    guard try await client.isLocked(collection) != nil else {
      return .error(
        .serviceUnavailable, "The default collection is one that is not there.",
        remedy: isGnome ? Self.setLogin : "sso-cache group create --prompt")
    }
    let label = try await client.label(ofCollection: collection)
    if try await client.isOpen(collection) {
      return .ok("The default collection is \(label), which is open.")
    }
    return .error(
      .groupLocked, "The default collection, \(label), is locked.",
      remedy: "Unlock \(label), by signing in to the desktop or with the provider's own window.")
  }

  /// Makes the login keyring the default one.
  private static let setLogin =
    "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets"
    + " org.freedesktop.Secret.Service.SetAlias string:default"
    + " objpath:/org/freedesktop/secrets/collection/login"
}
