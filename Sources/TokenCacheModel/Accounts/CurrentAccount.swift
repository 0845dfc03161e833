// SPDX-License-Identifier: MIT

/// The one account that a single-account app is signed in to, and the one that it was before.
public struct CurrentAccount: Sendable {
  /// The account; `nil` when nobody is signed in.
  public let account: Account?
  /// Who it was when the app asked the last time; `nil` when it was nobody, or the app never asked.
  ///
  /// It is empty for an account that ADAL has signed in and that no silent call had taken up.
  public let previousIdentifier: String?
  /// The user name of one without an identifier, as it is compared; `nil` of any other.
  let previousName: String?

  /// Whether somebody else is signed in than the last time, or nobody any more: forget what was the other one's.
  public var hasChanged: Bool {
    // One of ADAL's may have got its identifier since.
    if let account, let previousName, account.identifier.isEmpty || previousIdentifier?.isEmpty == true {
      return ADALTokenKey.user(account.username) != previousName
    }
    return account.map { RecordKey.comparedAccount($0.identifier) }
      != previousIdentifier.map(RecordKey.comparedAccount)
  }
}

extension CurrentAccount: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "CurrentAccount(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
