// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// Which scopes the server granted and which it didn't: beneath a `declinedScopes` error.
///
/// What was granted is in the cache, unless ``saveError`` says otherwise: ask for it, and the call succeeds without
/// the network.
public struct DeclinedScopes: Error, Sendable, PublishableError, CustomStringConvertible {
  /// The scopes that the server granted.
  public let granted: Scopes
  /// The scopes that were asked for and not granted.
  public let declined: Scopes
  /// Why the answer could not be saved, when it could not.
  public let saveError: SecretStoreError?

  /// The scopes.
  public var description: String { "granted: \(granted); declined: \(declined)" }
}
