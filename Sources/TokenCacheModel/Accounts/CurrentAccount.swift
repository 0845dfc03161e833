// SPDX-License-Identifier: MIT

import UnifiedCache

/// The account of a single-account app, and the account of its previous call.
public struct CurrentAccount: Sendable {
  /// The account; `nil` when nobody is signed in.
  public let account: Account?
  /// The identifier of the account in the app's previous call; `nil` when there was no account or no previous call.
  ///
  /// It is empty for an account that ADAL had signed in and that no silent call had used.
  public let previousIdentifier: String?
  /// The previous user name, as it is compared, if that account had no identifier; otherwise `nil`.
  let previousName: String?

  /// Creates an account and its predecessor, for tests and previews of an app.
  public init(account: Account?, previousIdentifier: String? = nil) {
    self.init(account: account, previousIdentifier: previousIdentifier, previousName: nil)
  }

  init(account: Account?, previousIdentifier: String?, previousName: String?) {
    self.account = account
    self.previousIdentifier = previousIdentifier
    self.previousName = previousName
  }

  /// Whether another account, or none, is signed in since the previous call.
  ///
  /// Then the app should delete the previous user's data.
  public var hasChanged: Bool {
    // An ADAL account may have got its identifier since.
    if let account, let previousName, account.identifier.isEmpty || previousIdentifier?.isEmpty == true {
      return Username(account.username).compared != previousName
    }
    return account.map { HomeAccountID($0.identifier).compared }
      != previousIdentifier.map { HomeAccountID($0).compared }
  }
}

extension CurrentAccount: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without its content.
  public var description: String { "CurrentAccount(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
