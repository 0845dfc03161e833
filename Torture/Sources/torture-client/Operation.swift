// SPDX-License-Identifier: MIT

/// What an app does with an account.
enum Operation: String, Codable {
  /// Signs in at the token server and saves its answer.
  case save
  /// Asks for a token, as an app does before each request to its resource.
  case read
  /// Redeems the refresh token, whatever is in the cache.
  case refresh
  /// Lists the accounts.
  case list
  /// Signs out.
  case signOut

  /// What is done in its place with an account that nobody signs in to any more: a sign-out that meets refreshes.
  var withoutSignIn: Operation {
    switch self {
    case .save: .signOut
    case .read: .refresh
    case .refresh, .list, .signOut: self
    }
  }

  /// Chooses at random; an account that must stay is not signed out of.
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
