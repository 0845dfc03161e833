// SPDX-License-Identifier: MIT

import UnifiedCache

extension CredentialKind {
  /// The type of the keychain items that hold credentials of this kind.
  var keychainType: Int {
    switch self {
    case .accessToken: 2001
    case .refreshToken: 2002
    case .idToken: 2003
    case .primaryRefreshToken: 2005
    case .v1IDToken: 2006
    case .accessTokenWithAuthScheme: 2007
    case .familyRefreshToken: 2008
    case .boundRefreshToken: 2009
    }
  }
}
