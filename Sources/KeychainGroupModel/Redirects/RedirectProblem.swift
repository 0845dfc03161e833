// SPDX-License-Identifier: MIT

/// The rule that a redirect URI, or a URL that was opened, breaks.
///
/// It is the `underlying` error of every `SecretStoreError` with the code `invalidRedirectURI`:
///
/// ```swift
/// if (error.underlying as? RedirectProblem)?.rule == .schemeNotRegistered { … }
/// ```
///
/// Nothing of an opened URL is in it.
public struct RedirectProblem: Error, Hashable, Sendable {
  /// Which rule is broken.
  public let rule: Rule

  /// The whole story in a sentence or two, with what to do about it.
  public let explanation: String

  /// A problem that its rule explains well enough.
  init(_ rule: Rule) {
    self.rule = rule
    self.explanation = rule.explanation
  }

  init(_ rule: Rule, _ explanation: String) {
    self.rule = rule
    self.explanation = explanation
  }

  /// The problem as callers get it.
  var error: SecretStoreError { SecretStoreError(.invalidRedirectURI, explanation, underlying: self) }
}

extension RedirectProblem: PublishableError {
  /// The rule's name.
  public var description: String { rule.description }
}
