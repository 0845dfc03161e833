// SPDX-License-Identifier: MIT

import FoundationEssentials

/// What names an item of ADAL's: authority, resource, client and user, without regard to case.
struct ADALTokenKey: Hashable, Sendable {
  /// What stands in an address where there is no resource, as ADAL for iOS and macOS writes it.
  private static let noResource = "CC3513A0-0E69-4B4D-97FC-DFB6C91EE132"
  /// What ADAL's addresses begin with, and their generic attribute.
  static let schema = "MSOpenTech.ADAL.1"

  /// The whole URL with its tenant, in lower case.
  let authority: String
  let resource: String?
  let clientID: String
  /// The user's id in lower case, without white space around it; empty for none.
  let userID: String
  let applicationIdentifier: String?

  init(of token: ADALToken) {
    authority = KeychainText.normalized(token.authority)
    // A blank one stands for none, as ADAL for iOS and macOS has it.
    resource = token.resource.map(KeychainText.normalized).flatMap { $0.isEmpty ? nil : $0 }
    clientID = KeychainText.normalized(token.clientID)
    userID = Self.user(token.userID)
    applicationIdentifier = token.kind == .accessToken ? token.applicationIdentifier : nil
  }

  /// The form in which users' ids are compared.
  static func user(_ text: String?) -> String { KeychainText.normalized(text ?? "") }

  /// The service attribute that ADAL gives the item.
  var service: String {
    let app = applicationIdentifier.map { "-\(Self.encode($0))" } ?? ""
    let parts = [
      Self.schema + app, Self.encode(authority), resource.map(Self.encode) ?? Self.noResource,
      Self.encode(clientID),
    ]
    return parts.joined(separator: "|")
  }

  /// The account attribute that ADAL for iOS gives the item.
  var account: String { Self.encode(userID) }

  private static func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
}

extension RecordKey {
  /// The record of one item of ADAL's.
  static func legacy(_ token: ADALToken) -> RecordKey {
    let key = ADALTokenKey(of: token)
    var parts = [key.service, key.account]
    if token.subject != .user { parts += [token.subject.rawValue, token.onBehalfOf ?? ""] }
    return RecordKey(
      kind: .legacy, environment: token.environment, clientID: storedClient(token.clientID),
      familyID: token.familyOfItem ?? "", key: Digest.hex(parts.joined(separator: "|")))
  }
}

extension KeychainItemKey {
  /// The key of an item of ADAL's, as ADAL for iOS forms it.
  ///
  /// ADAL for macOS has the user's id in clear, in lower case, as the account.
  public init(of token: ADALToken) {
    let key = ADALTokenKey(of: token)
    self.init(account: key.account, service: key.service, generic: ADALTokenKey.schema)
  }
}
