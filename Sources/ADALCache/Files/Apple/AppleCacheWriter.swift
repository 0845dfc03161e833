// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists
import StrictJSON
import UnifiedCache

/// A writer of the serialized cache of ADAL for macOS, which MSAL for macOS reads too.
///
/// The users' dictionaries are mutable, as their reader requires; keys contain no user. As on macOS, users are
/// named in lower case, and by an empty string where AD FS names none.
struct AppleCacheWriter {
  private var builder = KeyedArchiveBuilder()

  static func write(_ tokens: [ADALToken]) -> ADALExport {
    let writable = tokens.filter { $0.kind != nil && $0.subject == .user }
    var writer = AppleCacheWriter()
    let archive = writer.cache(writable)
    return ADALExport(bytes: archive.serialized(), leftOut: tokens.count - writable.count)
  }

  private mutating func cache(_ tokens: [ADALToken]) -> PropertyList {
    var users: [String] = []
    var items: [String: [ADALToken]] = [:]
    for token in tokens {
      let user = KeychainText.normalized(token.userID ?? "")
      if items[user] == nil { users.append(user) }
      items[user, default: []].append(token)
    }
    let dictionaries = users.map { user in
      let pairs = (items[user] ?? []).map { (key: key(of: $0), value: item($0)) }
      return (key: builder.text(user), value: builder.dictionary(pairs, .mutableDictionary))
    }
    let all = builder.dictionary(dictionaries, .mutableDictionary)
    let cache = builder.dictionary([(builder.text("tokens"), all)], .mutableDictionary)
    let version = builder.plain(.real(1))
    let root = builder.dictionary([(builder.text("tokenCache"), cache), (builder.text("version"), version)])
    return builder.archive(root: root)
  }

  /// Adds an item's key: its parts, which ADAL reads, and the service of its keychain item, which MSAL reads.
  private mutating func key(of token: ADALToken) -> PropertyList {
    builder.object(
      .key,
      [
        "authority": builder.text(KeychainText.normalized(token.authority)),
        "resource": builder.text(token.resource.map(KeychainText.normalized)),
        "clientId": builder.text(KeychainText.normalized(token.clientID)),
        "service": builder.text(ADALTokenKey(of: token).service),
      ])
  }

  private mutating func item(_ token: ADALToken) -> PropertyList {
    var members: [AppleMember: PropertyList] = [:]
    let texts: [(AppleMember, String?)] = [
      (.authority, token.authority), (.clientID, token.clientID), (.resource, token.resource),
      (.familyID, token.familyID), (.accessToken, token.accessToken),
      (.accessTokenType, token.accessTokenType), (.refreshToken, token.refreshToken),
      (.homeAccountID, token.homeAccountID), (.applicationIdentifier, token.applicationIdentifier),
    ]
    for (name, text) in texts { members[name] = builder.text(text) }
    members[.expiresOn] = builder.date(ADALTime.writable(token.expiresOn)?.timeIntervalSinceReferenceDate)
    members[.cachedAt] = builder.date(ADALTime.writable(token.cachedAt)?.timeIntervalSinceReferenceDate)
    members[.userInformation] = user(of: token)
    let extras = token.extras(of: .objc)
    members[.additionalServer] = additionalServer(token, extras[AppleMember.additionalServer.rawValue])
    var named: [String: PropertyList] = ["additionalClient": builder.json([:], .mutableDictionary)]
    for (name, value) in extras where !AppleMember.names.contains(name) && name != "$class" {
      named[name] = builder.json(value)
    }
    for (name, value) in members { named[name.rawValue] = value }
    return builder.object(.item, named)
  }

  private mutating func additionalServer(_ token: ADALToken, _ rest: JSONValue?) -> PropertyList {
    var pairs = (rest?.objectValue ?? [:]).map { (key: builder.text($0.key), value: builder.json($0.value)) }
    if let date = ADALTime.writable(token.extendedExpiresOn) {
      let name = builder.text(AppleMember.extendedExpiresOn)
      pairs.append((name, builder.date(date.timeIntervalSinceReferenceDate)))
    }
    return builder.dictionary(pairs, .mutableDictionary)
  }

  /// Adds the user of an item: the ID token, and the claims where they differ from the item's members.
  private mutating func user(of token: ADALToken) -> PropertyList {
    let known = [
      ("oid", token.uniqueID), ("tid", token.tenantID), ("given_name", token.givenName),
      ("family_name", token.familyName), ("idp", token.identityProvider),
    ]
    let issued = AppleClaims(token.idToken.flatMap { try? IDTokenClaims(token: $0) }?.claims ?? [:])
    let isIssued = known.allSatisfy { $0.1 == ($0.0 == "oid" ? issued.uniqueID : issued[$0.0]) }
    guard token.userID != nil || token.idToken != nil || !isIssued else { return KeyedArchiveBuilder.null }
    var members = [
      "rawIdToken": builder.text(token.idToken), "userId": builder.text(token.userID),
      "userIdDisplayable": .bool(token.isUserIDDisplayable),
    ]
    if !isIssued {
      var claims: JSONObject = [:]
      for (name, text) in known { claims[name] = text.map(JSONValue.string) }
      members["allClaims"] = builder.json(claims)
    }
    return builder.object(.user, members)
  }
}
