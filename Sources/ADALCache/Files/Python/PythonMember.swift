// SPDX-License-Identifier: MIT

/// The members of a token response in the cache of ADAL for Python and Node.
enum PythonMember: String, CaseIterable {
  case tokenType, accessToken, refreshToken, createdOn, expiresOn, resource, isMRRT
  case userID = "userId"
  case isUserIDDisplayable = "isUserIdDisplayable"
  case tenantID = "tenantId"
  case givenName, familyName, identityProvider
  case objectID = "oid"
  case clientID = "_clientId"
  case authority = "_authority"
  /// Members that only this package writes; the library keeps them.
  case idToken
  case homeAccountID = "homeAccountId"
  case familyID = "familyId"
  case extendedExpiresOn

  static let names = Set(allCases.map(\.rawValue))
}
