// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Why no answer came from an authority: the number that the system's networking gives it, and nothing of the request.
package struct ExchangeFailure: PublishableError {
  package let domain: String
  package let code: Int

  package init(domain: String, code: Int) {
    self.domain = domain
    self.code = code
  }

  /// The domain and the code.
  package var description: String { "\(domain) \(code)" }
}
