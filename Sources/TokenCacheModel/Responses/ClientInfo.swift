// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The `client_info` of an Azure AD token response: who the account is at home.
public struct ClientInfo: Sendable, Hashable {
  /// The account's id in its home tenant; for B2C it ends in the policy.
  public let uid: String

  /// The home tenant's id.
  public let utid: String

  /// Decodes the base64url JSON object that the server sends.
  ///
  /// - Throws: `corruptItem` when it is no such object or lacks `uid` or `utid`.
  public init(encoded: String) throws(SecretStoreError) {
    guard let bytes = Base64URL.decode(encoded), let object = JSONValue.lenientObject(bytes) else {
      throw SecretStoreError(.corruptItem, "client_info is not base64url of a JSON object.")
    }
    guard let uid = object["uid"]?.stringValue, !uid.isEmpty,
      let utid = object["utid"]?.stringValue, !utid.isEmpty
    else { throw SecretStoreError(.corruptItem, "client_info lacks uid or utid.") }
    self.uid = uid
    self.utid = utid
  }

  /// The home account id, `uid.utid` in lower case.
  public var homeAccountID: String { "\(uid).\(utid)".lowercased() }
}
