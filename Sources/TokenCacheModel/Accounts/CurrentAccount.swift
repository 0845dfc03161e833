// SPDX-License-Identifier: MIT

/// The one account that a single-account app is signed in to, and the one that it was before.
public struct CurrentAccount: Sendable {
  /// The account; `nil` when nobody is signed in.
  public let account: Account?
  /// Who it was when the app asked the last time; `nil` when it was nobody, or the app never asked.
  public let previousIdentifier: String?

  /// Whether somebody else is signed in than the last time, or nobody any more: forget what was the other one's.
  public var hasChanged: Bool {
    account.map { RecordKey.comparedAccount($0.identifier) }
      != previousIdentifier.map(RecordKey.comparedAccount)
  }
}

extension CurrentAccount: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "CurrentAccount(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
