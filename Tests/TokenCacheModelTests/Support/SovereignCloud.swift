// SPDX-License-Identifier: MIT

@testable import TokenCacheModel
@testable import UnifiedCache

extension InstanceDiscovery {
  /// What discovery learns of a cloud that this package does not know.
  static let sovereign = InstanceDiscovery(clouds: [
    InstanceDiscovery.Cloud(
      preferredNetwork: "login.sovereign.example", preferredCache: "cache.sovereign.example",
      aliases: ["login.sovereign.example", "cache.sovereign.example", "old.sovereign.example"])
  ])
}

extension SharedGroup {
  /// The cache of an app at a host of such a cloud.
  func app(
    _ name: String, at host: String, through backend: (any TokenCacheBackend)? = nil, isOnline: Bool = true
  ) throws -> TokenCache {
    TokenCache(
      backend: backend ?? self.backend, app: try Self.id(name), clientID: Self.suite,
      authority: try Authority("https://\(host)/common", kind: .aad), endpoint: isOnline ? endpoint : nil,
      options: options)
  }
}
