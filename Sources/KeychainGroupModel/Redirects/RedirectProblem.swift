// SPDX-License-Identifier: MIT

/// The rule that a redirect URI or an opened URL breaks.
///
/// It is the `underlying` error of every `SecretStoreError` with the code `invalidRedirectURI`:
///
/// ```swift
/// func isUnregistered(_ error: SecretStoreError) -> Bool {
///   (error.underlying as? RedirectProblem)?.rule == .schemeNotRegistered
/// }
/// ```
///
/// It holds nothing of an opened URL.
public struct RedirectProblem: Error, Hashable, Sendable {
  /// The rule that is broken.
  public let rule: Rule

  /// One or two sentences that say what is wrong and how to fix it.
  public let explanation: String

  /// Creates a problem with the rule's own explanation.
  package init(_ rule: Rule) {
    self.rule = rule
    self.explanation = rule.explanation
  }

  init(_ rule: Rule, _ explanation: String) {
    self.rule = rule
    self.explanation = explanation
  }

  /// The error that callers receive.
  package var error: SecretStoreError { SecretStoreError(.invalidRedirectURI, explanation, underlying: self) }
}

extension RedirectProblem: PublishableError {
  /// The rule's name.
  public var description: String { rule.description }
}
