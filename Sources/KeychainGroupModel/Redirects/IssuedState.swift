// SPDX-License-Identifier: MIT

/// A `state` of an authorization request, with the redirect URI and the issuer of the sign-in.
struct IssuedState {
  let text: String
  let redirectURI: RedirectURI
  /// The issuer from which the response is expected, or `nil` for any issuer.
  let issuer: ExpectedIssuer?
  /// The time from which responses are refused.
  let expiresAt: ContinuousClock.Instant

  /// Creates a state of 43 random characters, 258 bits.
  init(for redirectURI: RedirectURI, issuer: ExpectedIssuer?, until expiresAt: ContinuousClock.Instant) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var generator = SystemRandomNumberGenerator()
    text = String((0..<43).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
    self.redirectURI = redirectURI
    self.issuer = issuer
    self.expiresAt = expiresAt
  }

  /// Returns whether a text is this state, in constant time for texts of equal length.
  func isSame(as other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
