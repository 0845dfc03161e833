// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON
import UnifiedCache

extension ADALToken {
  /// The identity of an item: ADAL's key, compared as ADAL does, and the token's subject.
  struct Identity: Hashable {
    private let parts: [String]
    private let subject: TokenSubjectType

    init(of token: ADALToken) {
      let parts = [
        token.authority, token.resource, token.clientID, token.userID, token.applicationIdentifier,
        token.onBehalfOf,
      ]
      self.parts = parts.map { KeychainText.normalized($0 ?? "") } + [token.issuerWithCase ?? ""]
      subject = token.subject
    }
  }

  /// The identity of the refresh token for all resources that belongs to an access token.
  var identityOfRefreshToken: Identity {
    var token = self
    token.resource = nil
    token.applicationIdentifier = nil
    return Identity(of: token)
  }

  /// The time at which the server issued the token, as far as it is known.
  ///
  /// If only the expiry is known, the token is assumed to be issued one hour before, which is Azure AD's default
  /// lifetime.
  var issuedAt: Date? { cachedAt ?? expiresOn?.addingTimeInterval(-3600) }

  /// Whether a token of ADAL for Python is the app's own.
  ///
  /// Azure AD names the user of every token that has one. So a token without a user and a refresh token is the
  /// app's, except from AD FS.
  var belongsToClient: Bool {
    userID == nil && refreshToken == nil && !ADALAuthority(authority).isADFS
  }

  /// The item without the members that belong to an access token.
  var refreshItem: ADALToken {
    var item = self
    for name in Self.membersOfAccess { item.fields[name] = nil }
    return item
  }

  /// Returns the items that ADAL for iOS and macOS makes of a whole response.
  ///
  /// A refresh token for several resources becomes an item of its own; the access token stays with its resource. A
  /// refresh token for one resource stays with the access token.
  func items(isMultiResource: Bool) -> [ADALToken] {
    var access = self
    access.refreshToken = nil
    access.familyID = nil
    guard refreshToken != nil else { return [access] }
    guard isMultiResource else { return [self] }
    var refresh = refreshItem
    refresh.cachedAt = issuedAt
    guard accessToken != nil else { return [refresh] }
    for format in ADALFileFormat.allCases { refresh.setExtras([:], of: format) }
    return [access, refresh]
  }

  private static let membersOfAccess =
    ["access_token", "token_type", "resource", "expires_on", "extended_expires_on", "application_identifier"]

  /// Returns the items, each once: the newest of several copies, and the later one of two that are equally old.
  static func merged(_ tokens: [ADALToken]) -> [ADALToken] {
    var indices: [Identity: Int] = [:]
    var merged: [ADALToken] = []
    for token in tokens {
      let identity = Identity(of: token)
      if let index = indices[identity] {
        let isYounger = (token.issuedAt ?? .distantPast) >= (merged[index].issuedAt ?? .distantPast)
        if isYounger { merged[index] = token }
      } else {
        indices[identity] = merged.count
        merged.append(token)
      }
    }
    return merged
  }

  /// The family's item for a client's refresh token; `nil` for any other item, and without a family.
  var familyCopy: ADALToken? {
    guard kind == .multiResourceRefreshToken, let familyID else { return nil }
    var copy = self
    copy.fields["client_id"] = .string(Self.familyPrefix + familyID)
    return copy
  }
}

extension ADALToken {
  /// Returns the members that only the given file format has and that are written back to it.
  func extras(of format: ADALFileFormat) -> JSONObject { fields[format.rawValue]?.objectValue ?? [:] }

  /// Stores the members that only the given file format has.
  mutating func setExtras(_ extras: JSONObject, of format: ADALFileFormat) {
    fields[format.rawValue] = extras.isEmpty ? nil : .object(extras)
  }
}
