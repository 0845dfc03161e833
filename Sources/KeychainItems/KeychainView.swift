// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import UnifiedCache

/// The token cache as a keychain: items are saved, found and removed by key.
///
/// Use it in identity libraries whose cache is written for a keychain, such as MSAL for iOS and macOS. A
/// ``KeychainItemKey`` names an item and a ``KeychainItemQuery`` finds items. They are stored in the same documents
/// that ``TokenCache`` uses, so each of the two finds what the other saved.
///
/// ```swift
/// let view = KeychainView(backend: backend, app: app.app)
/// try await view.save(refreshToken)
///
/// let key = KeychainItemKey(of: refreshToken)
/// let stored = try await view.credential(for: key)
/// try await view.removeCredential(key)
/// ```
///
/// Outside Microsoft's clouds the environment of an entry, and so of a key, is its ``Issuer``.
///
/// Keys are exact: a key with one host of a cloud does not find an item that was saved under another. A key names
/// one item and a query only reads, so a removal removes only the item of its key.
///
/// Like a keychain, the view reports sign-in state but does not enforce it: an app that signed out still reads the
/// items. The view has no state of its own and reads the store in each call. It is a value; create as many as you
/// like.
public struct KeychainView: Sendable {
  /// The back end that keeps the records.
  public let backend: any TokenCacheBackend
  /// The app that is acting; sign-in state is kept for each app.
  ///
  /// `nil` when the user acts without an app. No app's sign-in state is then read or changed.
  public let app: AppIdentifier?
  /// The host of the accounts that an item names by their IDs alone.
  ///
  /// Items with sign-in state do so, see ``KeychainAccountMetadata``.
  public let environment: String
  let clock: any WallClock

  /// Creates a view over a back end.
  ///
  /// - Parameters:
  ///   - backend: The back end that keeps the records.
  ///   - app: The app that is acting; `nil` when the user acts without an app.
  ///   - environment: The host of the accounts that an item names by their IDs alone.
  ///   - clock: The clock.
  public init(
    backend: any TokenCacheBackend, app: AppIdentifier?, environment: String = "login.microsoftonline.com",
    clock: any WallClock = SystemWallClock()
  ) {
    self.backend = backend
    self.app = app
    self.environment = environment
    self.clock = clock
  }

  /// Returns the host under which a host's records are kept, from the built-in table, else from what the group
  /// learned.
  func canonical(_ host: String) async throws -> String {
    if CloudEnvironment.isKnown(host) { return CloudEnvironment.canonical(host) }
    let record = try await backend.record(for: EnvironmentAliases.record)
    return EnvironmentAliases(in: try? record?.document()).canonical(host)
  }

  /// Refuses a key without a service, which would not name an item, and one with a control character.
  static func check(_ key: KeychainItemKey) throws(SecretStoreError) {
    if KeychainText.isBlank(key.service) {
      throw SecretStoreError(.invalidArgument, "The item's key has no service.")
    }
    if [key.account, key.service, key.generic ?? ""].contains(where: \.hasUnsafeCharacter) {
      throw SecretStoreError(
        .invalidArgument, "The item's key holds a control character or too many combining marks.")
    }
  }

  /// Refuses an account ID that is blank, has white space around it or holds a control character.
  ///
  /// Keys drop surrounding white space, so two accounts would share one key.
  static func check(homeAccountID: String) throws(SecretStoreError) {
    let scalars = homeAccountID.unicodeScalars
    let ends = [scalars.first, scalars.last].compactMap { $0.map { String($0) } }
    if ends.isEmpty || ends.contains(where: KeychainText.isBlank) {
      throw SecretStoreError(.invalidArgument, "The account's id is blank, or has white space around it.")
    }
    if homeAccountID.hasUnsafeCharacter {
      throw SecretStoreError(
        .invalidArgument, "The account's id holds a control character or too many combining marks.")
    }
  }
}
