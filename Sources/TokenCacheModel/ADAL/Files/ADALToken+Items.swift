// SPDX-License-Identifier: MIT

import FoundationEssentials

extension ADALToken {
  /// What tells an item from all others: ADAL's key, compared as ADAL does, and whose token it is.
  struct Identity: Hashable {
    private let parts: [String]
    private let subject: ADALSubject

    init(of token: ADALToken) {
      let parts = [
        token.authority, token.resource, token.clientID, token.userID, token.applicationIdentifier,
        token.onBehalfOf,
      ]
      self.parts = parts.map { KeychainText.normalized($0 ?? "") }
      subject = token.subject
    }
  }

  /// The identity of the refresh token that serves an access token beside others.
  var identityOfRefreshToken: Identity {
    var token = self
    token.resource = nil
    token.applicationIdentifier = nil
    return Identity(of: token)
  }

  /// When it came from the server, as well as it is known.
  ///
  /// Where only the expiry is known, it is taken to have been issued an hour before, which is what Azure AD gives unless
  /// it was told otherwise.
  var issuedAt: Date? { cachedAt ?? expiresOn?.addingTimeInterval(-3600) }

  /// Whether it is the app's own, by what a response of ADAL for Python's says: Azure AD names the user of every token that
  /// has one.
  var belongsToClient: Bool {
    userID == nil && refreshToken == nil && !ADALAuthority(authority).isADFS
  }

  /// The item with nothing that belongs to an access token.
  var refreshItem: ADALToken {
    var item = self
    for name in Self.membersOfAccess { item.fields[name] = nil }
    return item
  }

  /// The items that ADAL for iOS and macOS makes of a whole response.
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

  /// The items without those that others are the younger copies of; of two that are as old, the later one counts.
  static func merged(_ tokens: [ADALToken]) -> [ADALToken] {
    var places: [Identity: Int] = [:]
    var merged: [ADALToken] = []
    for token in tokens {
      let identity = Identity(of: token)
      if let place = places[identity] {
        let isYounger = (token.issuedAt ?? .distantPast) >= (merged[place].issuedAt ?? .distantPast)
        if isYounger { merged[place] = token }
      } else {
        places[identity] = merged.count
        merged.append(token)
      }
    }
    return merged
  }

  /// The family's item of a client's refresh token; `nil` for all else.
  var familyCopy: ADALToken? {
    guard kind == .multiResourceRefreshToken, let familyID else { return nil }
    var copy = self
    copy.fields["client_id"] = .string(Self.familyPrefix + familyID)
    return copy
  }
}

extension ADALToken {
  /// Members that only a file's own format has a place for, and that are written back to it.
  func extras(of format: ADALFileFormat) -> JSONObject { fields[format.rawValue]?.objectValue ?? [:] }

  /// Keeps members that only a file's own format has a place for.
  mutating func setExtras(_ extras: JSONObject, of format: ADALFileFormat) {
    fields[format.rawValue] = extras.isEmpty ? nil : .object(extras)
  }
}
