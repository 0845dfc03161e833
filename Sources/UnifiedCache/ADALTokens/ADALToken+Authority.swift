// SPDX-License-Identifier: MIT

import FoundationEssentials

extension ADALToken {
  /// The canonical host of the authority's cloud, else the authority's own host; empty when the authority is not a
  /// URL.
  package var host: String {
    guard let url = URL(string: authority), let host = url.host?.lowercased() else { return "" }
    return CloudEnvironment.canonical(url.port.map { $0 == 443 ? host : "\(host):\($0)" } ?? host)
  }

  /// The issuer of an OpenID provider's token.
  ///
  /// `nil` where the authority is Microsoft's, or where the account ID or tenant ID shows that the user is Azure
  /// AD's.
  package var issuer: Issuer? {
    let isAzureADUser =
      homeAccountID.map { HomeAccountID($0).isAzureAD } == true
      || tenantID.map { HomeAccountID.isGUID($0.lowercased()[...]) } == true
    return isAzureADUser ? nil : (try? Authority(authority))?.issuer
  }

  /// The issuer, if it contains upper-case characters: ADAL's keys ignore case and can't tell it from another
  /// issuer.
  package var issuerWithCase: String? {
    issuer.map(\.text).flatMap { $0 == $0.lowercased() ? nil : $0 }
  }

  /// The tenant part of the authority's path, in lower case.
  package var authorityTenant: String {
    URL(string: authority)?.path.split(separator: "/").first?.lowercased() ?? ""
  }

  /// The family that the item belongs to, taken from its client ID; `nil` for a client's own item.
  package var familyOfItem: String? {
    clientID.hasPrefix(Self.familyPrefix) ? String(clientID.dropFirst(Self.familyPrefix.count)) : nil
  }
}

extension Authority {
  /// ADAL's name for the tenant of an Azure AD authority, in lower case; `common` for `organizations`, which ADAL
  /// doesn't know.
  package var adalTenant: String {
    let tenant = realm.lowercased()
    return tenant.isEmpty || tenant == "organizations" ? "common" : tenant
  }

  /// The URL under which ADAL keeps the authority's tokens.
  ///
  /// It has the cloud's preferred cache host, is in lower case, and ends after the tenant for Azure AD. For an
  /// OpenID provider it is the issuer.
  package var adalURL: String {
    if let issuer { return issuer.text }
    let base = "https://\(storageEnvironment)"
    switch kind {
    case .aad: return "\(base)/\(adalTenant)"
    case .b2c, .adfs, .openID: return ([base] + path.map { $0.lowercased() }).joined(separator: "/")
    }
  }
}
