// SPDX-License-Identifier: MIT

/// An account in one tenant: at home, or as a guest.
///
/// Its description shows the tenant only: user names are personal data.
public struct TenantProfile: Sendable, Hashable {
  /// The account's id in this tenant: its `oid` in Azure AD, the `sub` elsewhere; empty when it is not known.
  public let identifier: String
  /// The tenant.
  public let tenant: String
  /// Whether it is the account's home tenant.
  public let isHome: Bool
  /// What the account is known by in this tenant; empty when the provider did not say.
  public let username: String
  /// The person's name in this tenant, where the provider gave it.
  public let name: String?
  /// The id token that the client was issued in this tenant; `nil` where only other clients were.
  let idToken: String?

  /// The claims of the id token that the client was issued in this tenant; `nil` where only other clients were, or
  /// the token can't be read.
  public var claims: IDTokenClaims? { idToken.flatMap { try? IDTokenClaims(token: $0) } }
}

extension TenantProfile: CustomStringConvertible, CustomReflectable {
  /// The tenant.
  public var description: String { "TenantProfile(\(tenant))" }

  /// Shows the tenant only.
  public var customMirror: Mirror { Mirror(self, children: ["tenant": tenant]) }
}
