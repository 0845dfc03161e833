// SPDX-License-Identifier: MIT

/// A user that ADAL knows.
///
/// The description is redacted: user IDs are mostly e-mail addresses.
public struct ADALUser: Sendable, Hashable {
  /// ADAL's ID of the user; MSAL's `Account.username`.
  public let userID: String
  /// MSAL's ID of the account, its `Account.identifier`; `nil` where ADAL (before 2.7) did not learn it.
  public let homeAccountID: String?
  /// The user's object ID in one of the tenants, a GUID in lower case.
  ///
  /// It identifies the user where ADAL and MSAL know the user by different names.
  var objectID: String?
  /// The account ID of ``objectID`` and its tenant, where these make it; `nil` where ``homeAccountID`` is known.
  var statedAccountID: String?

  init(userID: String, homeAccountID: String?, objectID: String? = nil) {
    self.userID = userID
    self.homeAccountID = homeAccountID
    self.objectID = objectID
  }

  /// The account ID, as far as it is known or the item's IDs state it.
  var accountID: String? { homeAccountID ?? statedAccountID }
}

extension ADALUser: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "ADALUser(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
