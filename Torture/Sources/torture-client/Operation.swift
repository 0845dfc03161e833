// SPDX-License-Identifier: MIT

/// An operation of an app with an account.
enum Operation: String, Codable {
  /// Signs in at the token server and saves the response.
  case save
  /// Acquires a token silently, as an app does before each request.
  case read
  /// Redeems the refresh token, regardless of the cache.
  case refresh
  /// Lists the accounts.
  case list
  /// Signs out.
  case signOut

  /// The replacement for accounts that nobody signs in to any more.
  ///
  /// It makes sign-outs coincide with refreshes.
  var withoutSignIn: Operation {
    switch self {
    case .save: .signOut
    case .read: .refresh
    case .refresh, .list, .signOut: self
    }
  }

  /// Chooses an operation at random.
  ///
  /// An account that must stay is not signed out.
  init(mayLeave: Bool, _ random: inout SplitMix64) {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: self = .save
    case 30..<65: self = .read
    case 65..<88: self = .refresh
    case 88..<94: self = .list
    default: self = mayLeave ? .signOut : .read
    }
  }
}
