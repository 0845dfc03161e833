// SPDX-License-Identifier: MIT

/// The members of a response as ADAL for Python and Node keep it.
enum PythonMember: String, CaseIterable {
  case tokenType, accessToken, refreshToken, createdOn, expiresOn, resource, isMRRT
  case userID = "userId"
  case isUserIDDisplayable = "isUserIdDisplayable"
  case tenantID = "tenantId"
  case givenName, familyName, identityProvider
  case objectID = "oid"
  case clientID = "_clientId"
  case authority = "_authority"
  /// What the library doesn't write, and carries along: this package's.
  case idToken
  case homeAccountID = "homeAccountId"
  case familyID = "familyId"
  case extendedExpiresOn

  static let names = Set(allCases.map(\.rawValue))
}
