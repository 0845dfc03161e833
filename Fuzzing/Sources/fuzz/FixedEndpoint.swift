// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A token endpoint that always answers the same.
struct FixedEndpoint: TokenEndpoint {
  /// The answer.
  let reply: TokenEndpointReply

  /// Gives the answer.
  func send(_ request: TokenRequest) async throws -> TokenEndpointReply { reply }
}
