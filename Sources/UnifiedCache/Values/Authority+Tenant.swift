// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The tenant in an authority's URL.
extension Authority {
  /// Whether the authority is Azure AD or B2C, where `client_info` identifies the account.
  package var isMicrosoftHost: Bool { kind == .aad || kind == .b2c }

  /// Whether the authority names its tenant by a domain instead of its ID.
  var isTenantDomain: Bool { kind == .aad && !isTenantless && !HomeAccountID.isGUID(realm.lowercased()[...]) }

  /// Returns the same authority for another tenant, or itself when the URL has no tenant.
  package func forTenant(_ tenant: String) -> Authority {
    guard kind == .aad, tenant.lowercased() != realm.lowercased(),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return self }
    parts.path = "/" + ([tenant] + path.dropFirst()).joined(separator: "/")
    guard let text = parts.string,
      let authority = try? Authority(text, kind: kind, tokenEndpoint: tokenEndpoint)
    else { return self }
    return authority
  }

  /// The tenant of all personal Microsoft accounts.
  package static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// Returns whether a text can be a tenant in a URL.
  package static func isTenantName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
      }
      && text != "." && text != ".."
  }

  /// The path components of Azure AD URLs that name no tenant.
  package static let tenantless = ["common", "organizations", "consumers"]
}
