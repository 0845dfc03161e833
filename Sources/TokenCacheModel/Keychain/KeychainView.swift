// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The token cache as a keychain: items that are saved, found and removed by their keys.
///
/// It is for identity libraries whose cache is written for a keychain, as MSAL for iOS and macOS is. Items are
/// addressed by a ``KeychainItemKey`` and looked for by a ``KeychainItemQuery``; they are kept in the same
/// documents that ``TokenCache`` keeps them in, so what is saved through one is found through the other.
///
/// ```swift
/// let view = KeychainView(backend: backend, app: app)
/// try await view.save(refreshToken)
///
/// let key = KeychainItemKey(of: refreshToken)
/// let stored = try await view.credential(for: key)
/// try await view.removeCredential(key)
/// ```
///
/// Keys are exact: an item that was saved under one host of a cloud is not found by a key with another. A key
/// names one item, and a query only reads; so nothing but the item of a key is ever removed.
///
/// Like a keychain it tells who is signed in and does not act upon it: an app that signed out still reads the
/// items. It holds no state of its own and reads the store in each call. It is a value; make as many as you
/// like.
public struct KeychainView: Sendable {
  /// Where the records are kept.
  public let backend: any TokenCacheBackend
  /// The app that is acting; sign-in state is kept for each app.
  ///
  /// `nil` stands for the person at the keyboard, for whom no app's sign-in state is looked at or changed.
  public let app: AppIdentifier?
  /// The host of the accounts that an item names by nothing but their ids.
  ///
  /// The items of sign-in state do so: see ``KeychainAccountMetadata``.
  public let environment: String
  let clock: any WallClock

  /// Makes a view over a back end.
  ///
  /// - Parameters:
  ///   - backend: Where the records are kept.
  ///   - app: The app that is acting; `nil` for the person at the keyboard.
  ///   - environment: The host of the accounts that an item names by nothing but their ids.
  ///   - clock: Where the time of day is read.
  public init(
    backend: any TokenCacheBackend, app: AppIdentifier?, environment: String = "login.microsoftonline.com",
    clock: any WallClock = SystemWallClock()
  ) {
    self.backend = backend
    self.app = app
    self.environment = environment
    self.clock = clock
  }

  /// The host under which a host's records stand: the shipped table for what it knows, else what the group learnt.
  func canonical(_ host: String) async throws -> String {
    if CloudEnvironment.isKnown(host) { return CloudEnvironment.canonical(host) }
    return EnvironmentAliases(in: try await backend.record(for: EnvironmentAliases.record)?.document())
      .canonical(host)
  }

  /// Refuses a key without a service: it would name nothing in particular.
  static func check(_ key: KeychainItemKey) throws(SecretStoreError) {
    if KeychainText.isBlank(key.service) {
      throw SecretStoreError(.invalidArgument, "The item's key has no service.")
    }
  }

  /// Refuses an account id with white space around it: keys do without, so two accounts would share one.
  static func check(homeAccountID: String) throws(SecretStoreError) {
    let scalars = homeAccountID.unicodeScalars
    let ends = [scalars.first, scalars.last].compactMap { $0.map { String($0) } }
    if ends.isEmpty || ends.contains(where: KeychainText.isBlank) {
      throw SecretStoreError(.invalidArgument, "The account's id is blank, or has white space around it.")
    }
  }
}
