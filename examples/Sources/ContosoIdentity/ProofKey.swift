// SPDX-License-Identifier: MIT

import Foundation

/// A proof key for code exchange (PKCE, RFC 7636), without which a stolen authorization code is useless.
struct ProofKey: Sendable {
  /// The secret, which is sent only to the token endpoint.
  let verifier: String

  init(verifier: String = RandomText.make()) { self.verifier = verifier }

  /// The challenge of the method `S256`, which the authorization request contains.
  var challenge: String { RandomText.base64URL(RandomText.digest(of: verifier)) }
}
