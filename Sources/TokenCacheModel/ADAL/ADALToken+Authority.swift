// SPDX-License-Identifier: MIT

import FoundationEssentials

extension ADALToken {
  /// The canonical host of the authority's cloud, or its own host; empty when the authority is no URL.
  var environment: String {
    guard let url = URL(string: authority), let host = url.host?.lowercased() else { return "" }
    return CloudEnvironment.canonical(url.port.map { $0 == 443 ? host : "\(host):\($0)" } ?? host)
  }

  /// What stands in the authority's path for a tenant, in lower case.
  var authorityTenant: String {
    URL(string: authority)?.path.split(separator: "/").first?.lowercased() ?? ""
  }

  /// The family whose item it is, by its client.
  var familyOfItem: String? {
    clientID.hasPrefix(Self.familyPrefix) ? String(clientID.dropFirst(Self.familyPrefix.count)) : nil
  }
}

extension Authority {
  /// What ADAL has for the tenant of an Azure AD authority, in lower case; it knows no `organizations`.
  var adalTenant: String {
    let tenant = realm.lowercased()
    return tenant.isEmpty || tenant == "organizations" ? "common" : tenant
  }

  /// The URL under which ADAL keeps the authority's tokens: with the host that its cloud prefers for caches, in lower
  /// case, without what follows the tenant.
  var adalURL: String {
    let base = "https://\(environment)"
    switch kind {
    case .aad: return "\(base)/\(adalTenant)"
    case .b2c, .adfs, .openID: return ([base] + path.map { $0.lowercased() }).joined(separator: "/")
    }
  }
}
