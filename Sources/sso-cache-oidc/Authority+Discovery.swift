// SPDX-License-Identifier: MIT

import Foundation
import TokenCacheModel

extension Authority {
  /// Returns whether the `issuer` of a configuration belongs to this authority.
  ///
  /// The issuer must be the authority's URL, in any spelling that ``Issuer`` takes as the same. An Azure AD or B2C
  /// issuer has the tenant's id, or a placeholder when the authority names no tenant. Such an issuer must belong to the
  /// same cloud.
  func isIssuer(_ issuer: String) -> Bool {
    switch kind {
    case .openID, .adfs:
      guard let own = Issuer(url.absoluteString) else { return false }
      return Issuer(issuer) == own
    case .aad, .b2c:
      // The braces of the placeholder are invalid in a URL.
      guard let other = try? Authority(issuer.replacing("{tenantid}", with: "common"), kind: kind) else {
        return false
      }
      return other.environment == environment || (Self.isExternal(host) && Self.isExternal(other.host))
    }
  }

  /// Returns whether a host belongs to Microsoft Entra External ID, whose issuer hosts can contain the tenant's id.
  private static func isExternal(_ host: String) -> Bool { host.hasSuffix(".ciamlogin.com") }
}
