// SPDX-License-Identifier: MIT

import FoundationEssentials
public import KeychainGroupModel
public import UnifiedCache

/// The scopes that the server granted and declined: the underlying error of `declinedScopes`.
///
/// The token for the granted scopes is in ``result`` and, unless that has a `saveError`, in the cache: a call that asks
/// for these scopes only succeeds without the network.
public struct DeclinedScopes: Error, Sendable, PublishableError, CustomStringConvertible {
  /// The scopes that the server granted.
  public let granted: Scopes
  /// The requested scopes that the server did not grant.
  public let declined: Scopes
  /// The result for the granted scopes; `nil` only in an error that an app made itself.
  ///
  /// It has the token, its account, and the `saveError` with the response when that could not be saved, but neither
  /// durations nor a reason of the refresh.
  public let result: TokenResult?

  /// The scopes that the call asked for.
  private let requested: Scopes

  /// Creates the scopes of a response, for tests and previews of an app.
  public init(granted: Scopes, declined: Scopes, result: TokenResult? = nil) {
    self.init(requested: granted.union(declined), granted: granted, declined: declined, result: result)
  }

  private init(requested: Scopes, granted: Scopes, declined: Scopes, result: TokenResult?) {
    self.requested = requested
    self.granted = granted
    self.declined = declined
    self.result = result
  }

  /// Throws `declinedScopes` when the token of a result lacks requested scopes.
  ///
  /// - Parameter id: The ID of the call.
  static func check(
    _ token: CredentialEntry, of result: TokenResult, for requested: Scopes, in id: UUID?
  ) throws(SecretStoreError) {
    let declined = requested.resourceScopes.subtracting(token.satisfiedScopes)
    if declined.isEmpty { return }
    var result = result
    if let id { result.correlationID = id }
    throw SecretStoreError(
      .declinedScopes, "The server declined the scopes \(declined).",
      underlying: DeclinedScopes(
        requested: requested, granted: token.scopes, declined: declined, result: result))
  }

  /// The requested scopes that were granted or declined, and the number of other scopes that the server granted.
  ///
  /// The names of the others are not shown: they are the server's text, which may repeat a token from the request.
  public var description: String {
    let known = Scopes(granted.names.filter { Scopes([$0]).isSubset(of: requested) })
    let others = granted.names.count - known.names.count
    let more = others == 0 ? "" : "\(known.isEmpty ? "" : " and ")\(others) not asked for"
    return "granted: \(known)\(more); declined: \(declined)"
  }
}

extension SecretStoreError {
  /// The scopes that the server granted and declined; `nil` for an error of another code.
  public var declinedScopes: DeclinedScopes? { underlying as? DeclinedScopes }
}

extension DeclinedScopes: CustomReflectable {
  /// A mirror that shows the declined scopes only.
  public var customMirror: Mirror { Mirror(self, children: ["declined": declined]) }
}
