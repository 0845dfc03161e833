// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The tenant in an authority's URL.
extension Authority {
  /// Whether the authority is Azure AD or B2C, where `client_info` names the account.
  var isMicrosofts: Bool { kind == .aad || kind == .b2c }

  /// Whether an account of one of Microsoft's clouds is of this kind of authority: B2C's have a policy in their
  /// identifier, and at one host their tokens are nobody else's.
  func isPolicy(of account: Account) -> Bool {
    guard isMicrosofts, CloudEnvironment.isKnown(host) else { return true }
    return account.identifier.lowercased().contains("-b2c_") == (kind == .b2c)
  }

  /// Whether the tenant is named by one of its domains, and not by its id.
  var isTenantDomain: Bool { kind == .aad && !isTenantless && !RecordKey.isGUID(realm.lowercased()[...]) }

  /// The same authority for another tenant; itself where the URL has no place for one.
  func forTenant(_ tenant: String) -> Authority {
    guard kind == .aad, tenant.lowercased() != realm.lowercased(),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return self }
    parts.path = "/" + ([tenant] + path.dropFirst()).joined(separator: "/")
    guard let text = parts.string, let authority = try? Authority(text, kind: kind) else { return self }
    return authority
  }

  /// The authority to ask for an account's token when none is asked for by name: its home tenant in place of
  /// `common`, `organizations` and `consumers`.
  ///
  /// `organizations` stays for a personal account, which it has no place for.
  func resolved(for account: Account) -> Authority {
    guard isTenantless, let home = account.homeTenant else { return self }
    if home == Self.personalTenant && realm.lowercased() == "organizations" { return self }
    return forTenant(home)
  }

  /// The tenant of all personal Microsoft accounts.
  static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// Whether the text can stand where a tenant does in a URL.
  static func isTenantName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
      }
      && text != "." && text != ".."
  }

  /// The words that stand in Azure AD's URLs where no tenant is named.
  static let tenantless = ["common", "organizations", "consumers"]
}
