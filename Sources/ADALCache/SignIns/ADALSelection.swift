// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// The ADAL items that fit a request: looked up by tenant, then by `common`, as pure functions.
struct ADALSelection {
  /// The items that the app may use.
  let items: [ADALStore.Stored]
  let authority: Authority
  /// The tenant to look in when the authority names none, where it is known.
  var homeTenant: String?

  init(items: [ADALStore.Stored], authority: Authority, homeTenant: String? = nil) {
    self.items = items
    self.authority = authority
    self.homeTenant = homeTenant
  }

  /// Selects the items that an app may use at an authority.
  ///
  /// - Parameters:
  ///   - items: The items of a client and its family, tombstones included.
  ///   - app: The app that asks; `nil` when the user acts without an app.
  ///   - aliases: The hosts that belong to the same cloud.
  init(
    _ items: [ADALStore.Stored], for app: AppIdentifier?, at authority: Authority,
    _ aliases: EnvironmentAliases = .shipped
  ) {
    self.authority = authority
    let signIns = ADALSignIns(items: items, app: app, aliases)
    self.items = items.filter { item in
      item.token.kind != nil && item.token.subject == .user
        && item.token.isAt(authority, aliases) && !signIns.isSignedOut(item)
    }
  }

  /// The IDs of the users that have items.
  var users: Set<String> {
    Set(items.map { Username($0.token.userID).compared })
  }

  /// Returns the access token for a resource that expires last, if it expires after `limit`.
  func accessToken(_ resource: String, of userID: String?, app: String?, after limit: Date)
    -> ADALStore.Stored?
  {
    items.filter { item in
      item.token.accessToken != nil && isFor(resource, item.token) && isOf(userID, item.token)
        && isAtAuthority(item.token) && item.token.applicationIdentifier == app
        && item.token.expiresOn ?? .distantPast > limit
    }
    .max { $0.token.expiresOn ?? .distantPast < $1.token.expiresOn ?? .distantPast }
  }

  /// Returns the refresh tokens that could get a token for the resource, the preferred one first.
  func refreshTokens(for resource: String, of userID: String?) -> [ADALStore.Stored] {
    let single = items.filter { item in
      item.token.kind == .singleResource && isFor(resource, item.token) && isOf(userID, item.token)
        && isAtAuthority(item.token)
    }
    return single + refreshTokens { isOf(userID, $0) }
  }

  /// Returns the refresh tokens for all resources: the client's before the family's, the tenant's before those of
  /// `common`.
  func refreshTokens(where fits: (ADALToken) -> Bool) -> [ADALStore.Stored] {
    let kinds: [ADALTokenKind] = [.multiResourceRefreshToken, .familyRefreshToken]
    return kinds.flatMap { kind in
      tenants.flatMap { tenant in
        items.filter { item in
          item.token.kind == kind && item.token.authorityTenant == tenant && isOfIssuer(item.token)
            && fits(item.token)
        }
      }
    }
  }

  /// The tenants in which refresh tokens are looked for; none for personal accounts, which ADAL does not support.
  private var tenants: [String] {
    guard authority.kind == .aad else { return [authority.path.first?.lowercased() ?? ""] }
    let tenant = authority.realm.lowercased()
    if tenant == "consumers" { return [] }
    let own = authority.isTenantless ? homeTenant : tenant
    return [own, "common"].compactMap(\.self)
  }

  private func isAtAuthority(_ token: ADALToken) -> Bool {
    if authority.issuer != nil { return true }
    guard authority.kind == .aad else { return token.authority.lowercased() == authority.adalURL }
    return token.authorityTenant == authority.adalTenant
  }

  /// Whether the token's authority fits: ADAL supports Azure AD and AD FS only, so B2C policies (by path) and
  /// OpenID issuers must match the authority itself.
  private func isOfIssuer(_ token: ADALToken) -> Bool {
    authority.kind == .aad || authority.kind == .adfs || isAtAuthority(token)
  }

  private func isFor(_ resource: String, _ token: ADALToken) -> Bool {
    token.resource?.lowercased() == resource.lowercased()
  }

  private func isOf(_ userID: String?, _ token: ADALToken) -> Bool {
    userID == nil || Username(token.userID).compared == Username(userID).compared
  }
}
