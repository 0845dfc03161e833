// SPDX-License-Identifier: MIT

/// Somebody whom ADAL knows.
///
/// Its description shows nothing: users' ids are mostly e-mail addresses.
public struct ADALUser: Sendable, Hashable {
  /// What ADAL names the user by; MSAL's ``Account/username``.
  public let userID: String
  /// The account's id in MSAL, its ``Account/identifier``; `nil` where ADAL did not learn it (before 2.7).
  public let homeAccountID: String?
  /// The user's object id in one of its tenants, a GUID in lower case; it stays when the names differ by which ADAL and
  /// MSAL know a user.
  var objectID: String?
}

extension ADALUser: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "ADALUser(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
