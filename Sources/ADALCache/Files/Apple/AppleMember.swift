// SPDX-License-Identifier: MIT

/// The members of an item as ADAL for iOS and macOS archives it.
enum AppleMember: String, CaseIterable {
  case authority, resource, accessToken, accessTokenType, refreshToken, expiresOn, cachedAt, userInformation
  case clientID = "clientId"
  case familyID = "familyId"
  case homeAccountID = "homeAccountId"
  case applicationIdentifier
  /// Further members of the server's response, including the extended expiry.
  case additionalServer
  /// Present in place of a removed token.
  case tombstone

  static let names = Set(allCases.map(\.rawValue))

  /// The member of `additionalServer` that an item has itself.
  static let extendedExpiresOn = "extended_expires_on"

  /// A broker's key, which only a token for the whole device has.
  static let sessionKey = "sessionKey"
}
