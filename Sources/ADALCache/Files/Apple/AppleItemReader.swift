// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists
import StrictJSON
import UnifiedCache

/// A reader of items that ADAL for iOS and macOS archived.
struct AppleItemReader {
  private(set) var archive: KeyedArchive
  /// The user under which the serialized cache keeps the item; `nil` for an archive of one item.
  let owner: String?

  mutating func read(_ item: PropertyList) throws(ADALEntryProblem) -> ADALEntry {
    let members: [String: PropertyList]
    switch try archive.object(item) {
    case .object(.primaryRefreshToken, _): return .leftOut(.primaryRefreshToken)
    case .object(.item, let found): members = found
    default: throw ADALEntryProblem("is no item of ADAL's")
    }
    func member(_ name: AppleMember) -> PropertyList? { members[name.rawValue] }
    func text(_ name: AppleMember) throws(ADALEntryProblem) -> String? {
      let text = try archive.text(member(name), name.rawValue) ?? ""
      return text.isEmpty ? nil : text
    }
    let refreshToken = try text(.refreshToken)
    if case .null = try archive.object(member(.tombstone)), refreshToken != ADALToken.tombstone {
    } else {
      return .leftOut(.tombstone)
    }
    guard let authority = try text(.authority) else { throw ADALEntryProblem("lacks an authority") }
    guard let clientID = try text(.clientID) else {
      if case .null = try archive.object(members[AppleMember.sessionKey]) {
        throw ADALEntryProblem("lacks a client")
      }
      return .leftOut(.primaryRefreshToken)
    }
    var token = ADALToken(authority: authority, resource: try text(.resource), clientID: clientID)
    token.familyID = try text(.familyID)
    token.accessToken = try text(.accessToken)
    token.accessTokenType = try text(.accessTokenType)
    token.refreshToken = refreshToken
    token.expiresOn = try date(member(.expiresOn), AppleMember.expiresOn.rawValue)
    token.cachedAt = try date(member(.cachedAt), AppleMember.cachedAt.rawValue)
    token.homeAccountID = try text(.homeAccountID)
    token.applicationIdentifier = try text(.applicationIdentifier)
    try setUser(of: &token, member(.userInformation))
    try setExtras(of: &token, members)
    return .tokens([token])
  }

  private mutating func date(_ value: PropertyList?, _ name: String) throws(ADALEntryProblem) -> Date? {
    guard let seconds = try archive.time(value, name) else { return nil }
    return try ADALTime.date(seconds + Date.timeIntervalBetween1970AndReferenceDate, of: name)
  }

  private mutating func setUser(of token: inout ADALToken, _ value: PropertyList?) throws(ADALEntryProblem) {
    var user: [String: PropertyList] = [:]
    switch try archive.object(value) {
    case .null: break
    case .object(.user, let members): user = members
    default: throw ADALEntryProblem("has a userInformation that is none")
    }
    token.idToken = try archive.text(user["rawIdToken"], "rawIdToken")
    let all = try archive.json(user["allClaims"]).objectValue
    let claims = AppleClaims(all ?? token.idToken.flatMap { try? IDTokenClaims(token: $0) }?.claims ?? [:])
    token.uniqueID = claims.uniqueID
    token.tenantID = claims["tid"]
    token.givenName = claims["given_name"]
    token.familyName = claims["family_name"]
    token.identityProvider = claims["idp"]
    // The serialized cache keeps this item under no user, so a user named in the claims is not its user ID.
    let named = try archive.text(user["userId"], "userId") ?? (owner == "" ? nil : claims.userID)
    token.userID = named ?? (owner == "" ? nil : owner)
    guard let userID = token.userID else { return }
    let isDisplayable = try archive.bool(user["userIdDisplayable"], "userIdDisplayable")
    token.isUserIDDisplayable = isDisplayable ?? (named == nil ? userID.contains("@") : claims.namesUser)
  }

  /// Keeps the members that an item does not have itself.
  private mutating func setExtras(
    of token: inout ADALToken, _ members: [String: PropertyList]
  ) throws(ADALEntryProblem) {
    var extras: JSONObject = [:]
    for name in members.keys.sorted() where !AppleMember.names.contains(name) && name != "$class" {
      let value = try archive.json(members[name])
      if value != .null && value != [:] { extras[name] = value }
    }
    let server = AppleMember.additionalServer.rawValue
    var rest: JSONObject = [:]
    for (name, value) in try archive.members(members[server], server) ?? [] {
      if name == AppleMember.extendedExpiresOn {
        token.extendedExpiresOn = try date(value, name)
      } else {
        rest[name] = try archive.json(value)
      }
    }
    if !rest.isEmpty { extras[server] = .object(rest) }
    token.setExtras(extras, of: .objc)
  }
}
