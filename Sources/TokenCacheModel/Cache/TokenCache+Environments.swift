// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import UnifiedCache

extension TokenCache {
  /// Stores which hosts belong to one cloud, for all apps of the group.
  ///
  /// The clouds that this package knows need no such call. For any other cloud, create the authority with the kind
  /// `.aad` and pass the response of its instance discovery. Records under any of the cloud's hosts are then found
  /// under all of them, and are moved to the cloud's preferred host.
  ///
  /// ```swift
  /// try await cache.learn(instanceDiscovery: body)  // of …/common/discovery/instance?api-version=1.1&…
  /// ```
  ///
  /// Only pass a response from a host that you trust. The hosts that it names as aliases count as one cloud, with the
  /// same accounts.
  ///
  /// - Parameter body: The body of the response.
  /// - Throws: `invalidResponse` when the body is not such a response; `corruptItem` when the stored aliases can't be
  ///   read; whatever the back end throws. After an error, call it again.
  public func learn(instanceDiscovery body: [UInt8]) async throws {
    try await learn(InstanceDiscovery(parsing: body))
  }

  package func learn(_ discovery: InstanceDiscovery) async throws {
    try await EnvironmentLearning(backend: backend, clock: clock).learn(discovery)
  }

  /// Returns the aliases of an authority's host: the built-in ones if its cloud is known, else those that the group has
  /// learned.
  package func aliases(for authority: Authority) async throws -> EnvironmentAliases {
    try await authority.kind == .aad ? aliases(for: authority.host) : .shipped
  }

  /// Returns the aliases of the host of an account's cloud.
  func aliases(of account: Account) async throws -> EnvironmentAliases {
    try await authority.kind == .aad ? aliases(for: account.storageEnvironment) : .shipped
  }

  /// Returns whether the aliases of an authority's host are not built in, so that only the group can know them.
  func asksGroupForAliases(of authority: Authority) -> Bool {
    authority.kind == .aad && !isShipped(authority.host)
  }

  private func isShipped(_ host: String) -> Bool {
    CloudEnvironment.isKnown(host) || host.hasSuffix(".ciamlogin.com")
  }

  private func aliases(for host: String) async throws -> EnvironmentAliases {
    if isShipped(host) { return .shipped }
    return EnvironmentAliases(in: try await backend.record(for: EnvironmentAliases.record).flatMap(readable))
  }
}
