// SPDX-License-Identifier: MIT

import TokenCacheModel

@testable import KeychainItems

/// The parts of criteria, each with one value in all query tests.
struct QueryPart: OptionSet, Hashable, Sendable {
  let rawValue: Int

  static let home = QueryPart(rawValue: 1)
  static let environment = QueryPart(rawValue: 2)
  static let client = QueryPart(rawValue: 4)
  static let family = QueryPart(rawValue: 8)
  static let realm = QueryPart(rawValue: 16)
  static let target = QueryPart(rawValue: 32)
  static let app = QueryPart(rawValue: 64)
  static let scheme = QueryPart(rawValue: 128)
  static let claims = QueryPart(rawValue: 256)

  static let account: QueryPart = [.home, .environment]

  /// Every combination of parts.
  static let combinations = (0..<512).map(QueryPart.init(rawValue:))

  /// Criteria with exactly these parts.
  func criteria(_ kind: CredentialKind?) -> KeychainCredentialCriteria {
    var criteria = KeychainCredentialCriteria(kind: kind)
    criteria.homeAccountID = contains(.home) ? "uid.utid" : nil
    criteria.environment = contains(.environment) ? "login.microsoftonline.com" : nil
    criteria.clientID = contains(.client) ? "client" : nil
    criteria.familyID = contains(.family) ? "family" : nil
    criteria.realm = contains(.realm) ? "contoso.com" : nil
    criteria.target = contains(.target) ? "user.read" : nil
    criteria.applicationIdentifier = contains(.app) ? "app.bundle.id" : nil
    criteria.tokenType = contains(.scheme) ? "Pop" : nil
    criteria.requestedClaims = contains(.claims) ? "abc" : nil
    return criteria
  }
}
