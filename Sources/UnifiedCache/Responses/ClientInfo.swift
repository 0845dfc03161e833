// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import StrictJSON

/// The `client_info` of an Azure AD token response: the account's IDs in its home tenant.
package struct ClientInfo: Sendable, Hashable {
  /// The account's ID in its home tenant; for B2C it ends in the policy.
  package let uid: String

  /// The home tenant's ID.
  package let utid: String

  /// Decodes `client_info`, a JSON object as base64url.
  ///
  /// - Throws: `invalidResponse` when it is no such object, lacks `uid` or `utid`, or one of them holds a control
  ///   character.
  package init(encoded: String) throws(SecretStoreError) {
    guard let info = Self(lenient: encoded) else {
      throw SecretStoreError(
        .invalidResponse,
        "client_info is not base64url of a JSON object with uid and utid, or one of them holds a control character or"
          + " too many combining marks.")
    }
    self = info
  }

  /// Decodes `client_info`; `nil` when it is no JSON object as base64url, or lacks `uid` or `utid`, or when one of them
  /// holds a control character.
  init?(lenient encoded: String) {
    guard let bytes = Base64URL.decode(encoded), let object = JSONValue.lenientObject(bytes),
      let uid = object["uid"]?.stringValue, !uid.isEmpty, !uid.hasUnsafeCharacter,
      let utid = object["utid"]?.stringValue, !utid.isEmpty, !utid.hasUnsafeCharacter
    else { return nil }
    self.uid = uid
    self.utid = utid
  }

  /// The home account ID, `uid.utid` in lower case.
  package var homeAccountID: String { "\(uid).\(utid)".lowercased() }
}
