// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A token endpoint that answers as it was told to, one answer a request, and keeps the requests.
actor ScriptedEndpoint: TokenEndpoint {
  struct NotScripted: Error {}

  private var answers: [Result<TokenEndpointReply, any Error>] = []
  private var hook: @Sendable () async throws -> Void = {}
  private(set) var requests: [TokenRequest] = []

  /// Answers the next unanswered request with an object.
  func answer(_ members: JSONObject, status: Int = 200) {
    answers.append(.success(TokenEndpointReply(status: status, body: members.bytes)))
  }

  /// Answers the next unanswered request with a body.
  func answer(body: String, status: Int = 200, retryAfter: String? = nil) {
    answers.append(
      .success(TokenEndpointReply(status: status, body: Array(body.utf8), retryAfter: retryAfter)))
  }

  /// Does not answer the next unanswered request.
  func fail(with error: any Error) { answers.append(.failure(error)) }

  /// Does something between each request and its answer.
  func beforeAnswering(_ hook: @escaping @Sendable () async throws -> Void) { self.hook = hook }

  func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    requests.append(request)
    if answers.isEmpty { throw NotScripted() }
    let answer = answers.removeFirst()
    try await hook()
    return try answer.get()
  }
}
