// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// A reader of the caches of ADAL for Python and Node and of Azure CLI: a JSON array of token responses.
struct PythonCacheReader {
  private let time: PythonTime
  private let isAzureCLI: Bool

  init(zone: LocalZone, isAzureCLI: Bool) {
    time = PythonTime(zone: zone)
    self.isAzureCLI = isAzureCLI
  }

  func read(_ bytes: [UInt8], into list: inout ADALEntryList) throws(SecretStoreError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw SecretStoreError(.invalidFile, "The file is not valid JSON: \(error).")
    }
    guard let entries = value.arrayValue else {
      throw SecretStoreError(.invalidFile, "The file is JSON, but no array.")
    }
    for entry in entries {
      try list.add { () throws(ADALEntryProblem) in try read(ADALEntryMembers(entry)) }
    }
  }

  private func read(_ members: ADALEntryMembers) throws(ADALEntryProblem) -> ADALEntry {
    if members.object["servicePrincipalId"] != nil { return .leftOut(.servicePrincipal) }
    func text(_ name: PythonMember) throws(ADALEntryProblem) -> String? { try members.text(name.rawValue) }
    if try text(.refreshToken) == ADALToken.tombstone { return .leftOut(.tombstone) }
    guard let authority = try text(.authority) else { throw ADALEntryProblem("lacks an authority") }
    guard let clientID = try text(.clientID) else { throw ADALEntryProblem("lacks a client") }
    var token = ADALToken(authority: authority, resource: try text(.resource), clientID: clientID)
    token.accessToken = try text(.accessToken)
    token.accessTokenType = try text(.tokenType)
    token.refreshToken = try text(.refreshToken)
    token.idToken = try text(.idToken)
    token.homeAccountID = try text(.homeAccountID)
    let (family, foci) = try (text(.familyID), members.text("foci"))
    token.familyID = foci ?? family
    try setTimes(of: &token, members)
    try setUser(of: &token, members)
    token.setExtras(Self.extras(members.object), of: .python)
    let isMultiResource = try members.bool(PythonMember.isMRRT.rawValue) ?? false
    if isMultiResource && token.accessToken != nil && token.resource == nil {
      throw ADALEntryProblem("has an access token for no resource")
    }
    let items = token.items(isMultiResource: isMultiResource)
    // A `foci` from the server means that the refresh token is also the family's.
    return .tokens(items + (foci == nil ? [] : items.compactMap(\.familyCopy)))
  }

  private func setTimes(of token: inout ADALToken, _ members: ADALEntryMembers) throws(ADALEntryProblem) {
    token.expiresOn = try time.date(.expiresOn, of: members)
    token.extendedExpiresOn = try time.date(.extendedExpiresOn, of: members)
    token.cachedAt = try time.date(.createdOn, of: members)
    let lifetime = members.object["expiresIn"]?.textValue.flatMap { Int($0) } ?? -1
    if token.cachedAt == nil, 0...TokenResponse.maximumLifetime ~= lifetime,
      let issued = token.expiresOn?.addingTimeInterval(Double(-lifetime)), issued.timeIntervalSince1970 > 0
    {
      token.cachedAt = issued
    }
  }

  private func setUser(of token: inout ADALToken, _ members: ADALEntryMembers) throws(ADALEntryProblem) {
    func text(_ name: PythonMember) throws(ADALEntryProblem) -> String? { try members.text(name.rawValue) }
    token.userID = try text(.userID)
    token.uniqueID = try text(.objectID)
    token.tenantID = try text(.tenantID)
    token.givenName = try text(.givenName)
    token.familyName = try text(.familyName)
    token.identityProvider = try text(.identityProvider)
    let isDisplayable = try members.bool(PythonMember.isUserIDDisplayable.rawValue)
    let authority = ADALAuthority(token.authority)
    if let userID = token.userID {
      token.isUserIDDisplayable = isDisplayable ?? userID.contains("@")
    }
    if token.belongsToClient { token.subject = .client }
    if isAzureCLI && token.tenantID == nil { token.tenantID = authority.tenant }
  }

  private static func extras(_ object: JSONObject) -> JSONObject {
    var extras = object
    for name in PythonMember.names.union(["foci"]) { extras[name] = nil }
    return extras
  }
}
