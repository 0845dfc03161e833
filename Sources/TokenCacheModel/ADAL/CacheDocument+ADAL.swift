// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

extension CacheDocument {
  private static let adalMember = "ADAL"

  /// The item of ADAL's that the document is; `nil` when it is none.
  var adalToken: ADALToken? {
    get { ADALToken(self[member: Self.adalMember]) }
    set { self[member: Self.adalMember] = newValue.map { .object($0.fields) } }
  }

  /// Takes the tokens out of the item and leaves whose it was.
  mutating func buryADALToken() {
    guard var token = adalToken else { return }
    for name in ["access_token", "session_key", "id_token", "expires_on", "extended_expires_on"] {
      token.fields[name] = nil
    }
    token.refreshToken = ADALToken.tombstone
    adalToken = token
  }

  /// Signs an app out of the item; the tokens go with the last app that uses them.
  mutating func signOutOfADAL(_ app: AppIdentifier?) {
    if let app { sharing[app] = .signedOut } else { sharing.signOutAllApps() }
    guard sharing.apps(.signedIn).isEmpty else { return }
    buryADALToken()
    sharing.epoch += 1
  }
}
