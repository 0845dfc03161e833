// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A token endpoint that plays scripted responses, one for each request, and records the requests.
actor ScriptedEndpoint: TokenEndpoint {
  struct NotScripted: Error {}

  private var responses: [Result<TokenEndpointResponse, any Error>] = []
  private var hook: @Sendable () async throws -> Void = {}
  private(set) var requests: [TokenRequest] = []

  /// The refresh tokens of the requests, in their order.
  var sent: [String] { requests.map(\.refreshToken) }

  /// Sends an object in response to the next pending request.
  func response(_ members: JSONObject, status: Int = 200) {
    responses.append(.success(TokenEndpointResponse(status: status, body: members.bytes)))
  }

  /// Sends bytes in response to the next pending request.
  func response(bytes: [UInt8]) {
    responses.append(.success(TokenEndpointResponse(status: 200, body: bytes)))
  }

  /// Sends a body in response to the next pending request.
  func response(body: String, status: Int = 200, retryAfter: String? = nil) {
    responses.append(
      .success(TokenEndpointResponse(status: status, body: Array(body.utf8), retryAfter: retryAfter)))
  }

  /// Sends an OAuth error in response to the next pending request.
  func refuse(_ suberror: String? = nil, code: String = "invalid_grant") {
    let addition = suberror.map { #","suberror":"\#($0)""# } ?? ""
    response(body: #"{"error":"\#(code)"\#(addition)}"#, status: 400)
  }

  /// Throws an error instead of a response to the next pending request.
  func fail(with error: any Error) { responses.append(.failure(error)) }

  /// Runs a hook between each request and its response.
  func beforeResponding(_ hook: @escaping @Sendable () async throws -> Void) { self.hook = hook }

  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    requests.append(request)
    if responses.isEmpty { throw NotScripted() }
    let response = responses.removeFirst()
    try await hook()
    return try response.get()
  }
}
