// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

/// Expects a refusal by one rule, with that rule's explanation.
func expectProblem(
  _ rule: RedirectProblem.Rule, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch let error as SecretStoreError {
    #expect(error.code == .invalidRedirectURI, sourceLocation: sourceLocation)
    let problem = error.underlying as? RedirectProblem
    #expect(problem?.rule == rule, sourceLocation: sourceLocation)
    #expect(error.detail == problem?.explanation, sourceLocation: sourceLocation)
    #expect(error.detail.utf8.count < 700, sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
