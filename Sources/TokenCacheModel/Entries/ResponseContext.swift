// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The circumstances of a token response: what was asked for, by whom, and when the answer came.
struct ResponseContext {
  let clientID: String
  let authority: Authority
  /// The host under which the entries are kept.
  let environment: String
  let scopes: Scopes
  var claims: String?
  var applicationIdentifier: String?
  var keyID: String?
  /// The account that a refresh was made for; `nil` for a sign-in.
  var known: Account?
  let now: Date

  /// B2C tokens are kept under the host that was called, as all MSALs do, even at a cloud's own host.
  static func environment(_ authority: Authority, _ aliases: EnvironmentAliases = .shipped) -> String {
    authority.kind == .b2c ? authority.host : aliases.canonical(authority.host)
  }
}
