// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The reason why an authority sent no response.
///
/// It has the error number of the system's networking and nothing of the request.
package struct HelperFailure: PublishableError {
  package let domain: String
  package let code: Int

  package init(domain: String, code: Int) {
    self.domain = domain
    self.code = code
  }

  /// The domain and the code.
  package var description: String { "\(domain) \(code)" }
}
