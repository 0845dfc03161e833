// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

@testable import UnifiedCache

extension Decoder {
  /// Checks an authority.
  ///
  /// Its URL must result in the same authority.
  func checkAuthority(_ bytes: [UInt8]) {
    let authority: Authority
    do {
      authority = try Authority(String(decoding: bytes, as: UTF8.self))
    } catch {
      expectNoSecret(of: bytes, in: error)
      return
    }
    let again = expectNoError("the URL is valid") { try Authority(authority.url.absoluteString) }
    expect(again.kind == authority.kind && again.host == authority.host, "the URL has the same host")
    expect(again.realm == authority.realm, "the URL has the same tenant")
    expect(again.isTenantless == authority.isTenantless, "the URL names a tenant or not")
    expect(!authority.host.isEmpty && !authority.environment.isEmpty, "an authority has a host")
    let stored = authority.storageEnvironment
    expect(CloudEnvironment.canonical(stored) == stored, "a stored environment is its own canonical one")
    expect(
      CloudEnvironment.network(stored) == authority.environment,
      "an environment is the stored one's network host")
    expect(authority.kind == .aad || !authority.isTenantless, "only Azure AD is without a tenant")
  }

  /// Checks a list of scopes.
  ///
  /// The stored form must result in the same set.
  func checkScopes(_ bytes: [UInt8]) {
    checkScopeSet(Scopes(target: String(decoding: bytes, as: UTF8.self)))
  }

  /// Checks the laws of sets.
  func checkScopeSet(_ scopes: Scopes) {
    let again = Scopes(target: scopes.target)
    expect(again == scopes, "what is stored of a set is the same set")
    expect(again.hashValue == scopes.hashValue, "equal sets have one hash")
    expect(again.target == scopes.target, "the same set is stored in the same way")
    expect(Scopes(scopes.names) == scopes, "a set is its names")
    expect(scopes.isSubset(of: again), "a set is its own subset")
    expect(scopes.intersects(again) != scopes.isEmpty, "a set with a scope meets itself")
    expect(scopes.union(again) == scopes, "a set with itself is the same")
    expect(scopes.subtracting(again).isEmpty, "a set without itself is empty")
    expect(scopes.resourceScopes.isSubset(of: scopes), "the resource's scopes are some of all")
    expect(!scopes.resourceScopes.intersects(.openIDConnect), "the sign-in's scopes are left out")
  }

  /// Checks an entitlements property list.
  ///
  /// It must equal entitlements that are created from the same names.
  func checkEntitlements(_ bytes: [UInt8]) {
    guard let app = try? AppEntitlements(propertyList: Data(bytes)) else { return }
    let again = expectNoError("the names are valid") {
      try AppEntitlements(app: app.app.name, publisher: app.publisher?.name, groups: app.groups.map(\.name))
    }
    expect(again == app, "the property list says the same as its names")
    expect(Set(app.groups).count == app.groups.count, "no group is listed twice")
    for group in app.groups + [app.ownGroup, app.keychainSharingGroup] {
      expectNoError("an app may use its groups") { try app.require(group) }
      let found = expectNoError("a group is found by its name") { try app.group(group.name) }
      expect(found == group, "the group that is found is the one listed")
    }
  }
}
