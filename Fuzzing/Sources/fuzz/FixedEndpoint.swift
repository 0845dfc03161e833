// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A token endpoint that always returns the same response.
struct FixedEndpoint: TokenEndpoint {
  /// The response.
  let response: TokenEndpointResponse

  /// Returns the response.
  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse { response }
}
