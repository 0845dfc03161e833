// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// An entry of ADAL.NET's cache.
///
/// The key is the authority, the resource, the client and the subject type, separated by `:::`. The subject type is
/// 0 for a user, 1 for the client and 2 for a user through the client. The user is part of the value.
struct DotNetEntry {
  let key: ArraySlice<UInt8>
  let value: ArraySlice<UInt8>

  private static let delimiter = Array(":::".utf8)

  func read(_ schema: DotNetSchema) throws(ADALEntryProblem) -> ADALEntry {
    guard let key = String(validating: key, as: UTF8.self), let json = try? JSONValue(parsing: value) else {
      throw ADALEntryProblem("is not a key in UTF-8 and a value in JSON")
    }
    let members = try ADALEntryMembers(json)
    var token = try token(of: key)
    let isMultiResource: Bool
    switch schema {
    case .two:
      isMultiResource = try members.bool("IsMultipleResourceRefreshToken") ?? false
      try setResult(of: &token, members)
    case .three:
      isMultiResource = !KeychainText.isBlank(try members.text("ResourceInResponse") ?? "")
      guard let result = try members.members("Result") else { throw ADALEntryProblem("lacks a Result") }
      try setResult(of: &token, result)
    }
    token.refreshToken = try members.text("RefreshToken")
    if token.refreshToken == ADALToken.tombstone { return .leftOut(.tombstone) }
    if let encoded = try members.text("RawClientInfo") {
      guard let info = try? ClientInfo(encoded: encoded) else {
        throw ADALEntryProblem("has a RawClientInfo that can't be read")
      }
      token.homeAccountID = info.homeAccountID
    }
    if token.subject != .user { moveUserToOnBehalfOf(&token) }
    return .tokens(token.items(isMultiResource: isMultiResource))
  }

  private func token(of key: String) throws(ADALEntryProblem) -> ADALToken {
    let parts = Array(key.utf8).split(separator: Self.delimiter, omittingEmptySubsequences: false)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    let subjects: [String: TokenSubjectType] = ["0": .user, "1": .client, "2": .userPlusClient]
    guard texts.count == 4, let subject = subjects[texts[3]] else {
      throw ADALEntryProblem("has a key that is not an authority, a resource, a client and a kind of subject")
    }
    var token = ADALToken(
      authority: texts[0], resource: texts[1].isEmpty ? nil : texts[1], clientID: texts[2])
    token.subject = subject
    return token
  }

  private func setResult(of token: inout ADALToken, _ result: ADALEntryMembers) throws(ADALEntryProblem) {
    token.accessToken = try result.text("AccessToken")
    token.accessTokenType = try result.text("AccessTokenType")
    token.expiresOn = try DotNetTime.date("ExpiresOn", of: result)
    token.extendedExpiresOn = try DotNetTime.date("ExtendedExpiresOn", of: result)
    token.idToken = try result.text("IdToken")
    token.tenantID = try result.text("TenantId")
    guard let user = try result.members("UserInfo") else { return }
    token.uniqueID = try user.text("UniqueId")
    token.givenName = try user.text("GivenName")
    token.familyName = try user.text("FamilyName")
    token.identityProvider = try user.text("IdentityProvider")
    let name = try user.text("DisplayableId")
    token.userID = name ?? token.uniqueID
    if token.userID != nil { token.isUserIDDisplayable = name != nil }
  }

  /// Moves the user of a token that is not a user's own, so that it is not taken for one.
  private func moveUserToOnBehalfOf(_ token: inout ADALToken) {
    if token.subject == .userPlusClient { token.onBehalfOf = token.userID }
    token.userID = nil
    token.fields["user_id_displayable"] = nil
  }
}
