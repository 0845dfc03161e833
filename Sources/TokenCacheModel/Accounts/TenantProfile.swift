// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

/// An account in one tenant, either its home tenant or one where it is a guest.
///
/// Its description shows the tenant only: user names are personal data.
public struct TenantProfile: Sendable, Hashable {
  /// The account's ID in this tenant: `oid` in Azure AD, `sub` elsewhere; empty when it is not known.
  public let identifier: String
  /// The tenant.
  public let tenant: String
  /// Whether it is the account's home tenant.
  public let isHome: Bool
  /// The user name in this tenant; empty when the provider did not send one.
  public let username: String
  /// The user's name in this tenant, if the provider sent one.
  public let name: String?
  /// The client's ID token for this tenant; `nil` if only other clients have one.
  let idToken: String?

  /// Creates the profile of an account in a tenant.
  ///
  /// - Parameters:
  ///   - identifier: The account's ID in this tenant; empty when it is not known.
  ///   - tenant: The tenant.
  ///   - isHome: Whether it is the account's home tenant.
  ///   - username: The user name in this tenant.
  ///   - name: The user's name in this tenant, if it is known.
  ///   - idToken: The client's ID token for this tenant, which has the ``claims``.
  public init(
    identifier: String = "", tenant: String, isHome: Bool = false, username: String = "", name: String? = nil,
    idToken: String? = nil
  ) {
    self.identifier = identifier
    self.tenant = tenant
    self.isHome = isHome
    self.username = username.withLimitedMarks
    self.name = name?.withLimitedMarks
    self.idToken = idToken
  }

  /// The claims of the client's ID token for this tenant; `nil` if only other clients have one, or if it can't be read.
  public var claims: IDTokenClaims? { idToken.flatMap { try? IDTokenClaims(token: $0) } }
}

extension TenantProfile: CustomStringConvertible, CustomReflectable {
  /// The tenant.
  public var description: String { "TenantProfile(\(tenant))" }

  /// A mirror that shows the tenant only.
  public var customMirror: Mirror { Mirror(self, children: ["tenant": tenant]) }
}
