// SPDX-License-Identifier: MIT

/// A `state` that was put into an authorization request, and what it was put there for.
struct IssuedState {
  let text: String
  let redirectURI: RedirectURI

  /// Makes a state of 43 random characters, 258 bits.
  init(for redirectURI: RedirectURI) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var generator = SystemRandomNumberGenerator()
    text = String((0..<43).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] })
    self.redirectURI = redirectURI
  }

  /// Whether a text is this state, in a time that tells nothing of where the two differ.
  func isSame(as other: String) -> Bool {
    guard text.utf8.count == other.utf8.count else { return false }
    return zip(text.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
