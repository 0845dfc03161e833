// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

/// The key of an ADAL item: authority, resource, client and user, compared without regard to case.
package struct ADALTokenKey: Hashable, Sendable {
  /// The text that ADAL for iOS and macOS writes in a key in place of a missing resource.
  private static let noResource = "CC3513A0-0E69-4B4D-97FC-DFB6C91EE132"
  /// The prefix of ADAL's service attributes; also the generic attribute of its keychain items.
  static let schema = "MSOpenTech.ADAL.1"

  /// The whole URL with its tenant, in lower case.
  let authority: String
  let resource: String?
  let clientID: String
  /// The user ID in lower case, without surrounding white space; empty for none.
  let userID: String
  let applicationIdentifier: String?

  package init(of token: ADALToken) {
    authority = KeychainText.normalized(token.authority)
    // A blank resource counts as none, as in ADAL for iOS and macOS.
    resource = token.resource.map(KeychainText.normalized).flatMap { $0.isEmpty ? nil : $0 }
    clientID = KeychainText.normalized(token.clientID)
    userID = Username(token.userID).compared
    applicationIdentifier = token.kind == .accessToken ? token.applicationIdentifier : nil
  }

  /// The service attribute of the keychain item.
  package var service: String {
    let app = applicationIdentifier.map { "-\(Self.encode($0))" } ?? ""
    let parts = [
      Self.schema + app, Self.encode(authority), resource.map(Self.encode) ?? Self.noResource,
      Self.encode(clientID),
    ]
    return parts.joined(separator: "|")
  }

  /// The account attribute of the keychain item, as in ADAL for iOS.
  var account: String { Self.encode(userID) }

  private static func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
}

extension RecordKey {
  /// Returns the key of the record of one ADAL item.
  package static func legacy(_ token: ADALToken) -> RecordKey {
    let key = ADALTokenKey(of: token)
    var parts = [key.service, key.account]
    if token.subject != .user { parts += [token.subject.rawValue, token.onBehalfOf ?? ""] }
    if let issuer = token.issuerWithCase { parts.append(issuer) }
    return RecordKey(
      kind: .legacy, environment: token.host, clientID: storedClient(token.clientID),
      familyID: token.familyOfItem ?? "", key: Digest.hex(parts.joined(separator: "|")))
  }
}

extension KeychainItemKey {
  /// Creates the key of an ADAL item as ADAL for iOS does.
  ///
  /// ADAL for macOS uses the user ID itself, in lower case, as the account.
  public init(of token: ADALToken) {
    let key = ADALTokenKey(of: token)
    self.init(account: key.account, service: key.service, generic: ADALTokenKey.schema)
  }
}
