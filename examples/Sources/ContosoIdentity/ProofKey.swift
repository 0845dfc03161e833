// SPDX-License-Identifier: MIT

import Crypto
import Foundation

/// A proof key for code exchange (PKCE, RFC 7636), which makes a stolen authorization code worthless.
struct ProofKey: Sendable {
  /// The secret, which only the token endpoint is told.
  let verifier: String

  init(verifier: String = RandomText.make()) { self.verifier = verifier }

  /// What the browser carries: the challenge of the method `S256`.
  var challenge: String { RandomText.base64URL(SHA256.hash(data: Data(verifier.utf8))) }
}
