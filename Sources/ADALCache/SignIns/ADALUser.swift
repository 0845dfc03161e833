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
  /// MSAL's ID of the account if the tenant of ``objectID`` is the user's home, where ``homeAccountID`` is not known.
  ///
  /// A guest's account has another one, so it tells that two users are the same, but never that they aren't.
  var possibleHomeAccountID: String?

  init(userID: String, homeAccountID: String?, objectID: String? = nil) {
    self.userID = userID
    self.homeAccountID = homeAccountID
    self.objectID = objectID
  }
}

extension ADALUser: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "ADALUser(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
