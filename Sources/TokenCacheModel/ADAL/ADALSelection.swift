// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// Which of ADAL's items fit: the lookup by tenant, then `common`, as pure functions.
struct ADALSelection {
  /// The items that the app may use.
  let items: [ADALStore.Stored]
  let authority: Authority
  /// The tenant that stands for `common`, where it is known; `nil` elsewhere.
  var homeTenant: String?

  /// - Parameters:
  ///   - items: The items of a client and its family, with those that were buried.
  ///   - app: The app that asks; `nil` for the person at the keyboard.
  ///   - aliases: Which hosts are one cloud.
  init(
    _ items: [ADALStore.Stored], for app: AppIdentifier?, at authority: Authority,
    _ aliases: EnvironmentAliases = .shipped
  ) {
    self.authority = authority
    let signIns = ADALSignIns(items: items, app: app)
    self.items = items.filter { item in
      item.token.kind != nil && item.token.subject == .user
        && aliases.areSame(item.token.environment, authority.environment) && !signIns.isClosed(item)
    }
  }

  /// The users that the items are of, each once.
  var users: Set<String> {
    Set(items.map { ADALTokenKey.user($0.token.userID) })
  }

  /// An access token for a resource that is good until `limit`, and a little longer.
  func accessToken(_ resource: String, of userID: String?, app: String?, after limit: Date) -> ADALStore
    .Stored?
  {
    items.filter { item in
      item.token.accessToken != nil && isFor(resource, item.token) && isOf(userID, item.token)
        && isAtAuthority(item.token) && item.token.applicationIdentifier == app
        && item.token.expiresOn ?? .distantPast > limit
    }
    .max { $0.token.expiresOn ?? .distantPast < $1.token.expiresOn ?? .distantPast }
  }

  /// The refresh tokens that could bring a token, the preferred one first.
  func refreshTokens(for resource: String, of userID: String?) -> [ADALStore.Stored] {
    let single = items.filter { item in
      item.token.kind == .singleResource && isFor(resource, item.token) && isOf(userID, item.token)
        && isAtAuthority(item.token)
    }
    return single + refreshTokens { isOf(userID, $0) }
  }

  /// The refresh tokens for all resources, the client's before the family's, the tenant's before `common`'s.
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

  /// Where refresh tokens are looked for; nowhere for personal accounts, which ADAL has none of.
  private var tenants: [String] {
    guard authority.kind == .aad else { return [authority.path.first?.lowercased() ?? ""] }
    let tenant = authority.realm.lowercased()
    if tenant == "consumers" { return [] }
    let own = authority.isTenantless ? homeTenant : tenant
    return [own, "common"].compactMap(\.self)
  }

  private func isAtAuthority(_ token: ADALToken) -> Bool {
    guard authority.kind == .aad else { return token.authority.lowercased() == authority.adalURL }
    return token.authorityTenant == authority.adalTenant
  }

  /// ADAL has Azure AD and AD FS only; elsewhere issuers of one host differ by their paths.
  private func isOfIssuer(_ token: ADALToken) -> Bool {
    authority.kind == .aad || authority.kind == .adfs || isAtAuthority(token)
  }

  private func isFor(_ resource: String, _ token: ADALToken) -> Bool {
    token.resource?.lowercased() == resource.lowercased()
  }

  private func isOf(_ userID: String?, _ token: ADALToken) -> Bool {
    userID == nil || ADALTokenKey.user(token.userID) == ADALTokenKey.user(userID)
  }
}
