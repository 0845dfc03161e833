// SPDX-License-Identifier: MIT

import StrictJSON

/// The host aliases of environments: the built-in clouds, and the clouds that a group has learned.
package struct EnvironmentAliases: Sendable, Hashable {
  private static let member = "environments"

  /// The learned clouds with a host that the built-in table lacks.
  private(set) var learned: [InstanceDiscovery.Cloud] = []
  /// The index in `learned` of the first cloud that names a host.
  private var indices: [String: Int] = [:]

  /// The built-in table without learned clouds.
  package static let shipped = EnvironmentAliases()

  private init() {}

  /// Adds the clouds of an instance discovery response.
  ///
  /// A cloud that shares a host with a built-in cloud extends it, and keeps its canonical host. A cloud that shares a
  /// host with a learned cloud replaces that cloud.
  package mutating func learn(_ discovery: InstanceDiscovery) {
    var clouds = learned.map(Optional.some)
    // Each host that entries are stored under belongs to one cloud.
    var cloudOfCacheHost: [String: Int] = [:]
    for (index, cloud) in learned.enumerated() {
      for host in cloud.cacheHosts { cloudOfCacheHost[host] = index }
    }
    for cloud in discovery.clouds {
      let hosts = cloud.cacheHosts.union([cloud.preferredNetwork])
      WorkMeter.count(hosts.count)
      if hosts.allSatisfy(CloudEnvironment.isKnown) { continue }
      for index in Set(hosts.compactMap { cloudOfCacheHost[$0] }) {
        for host in clouds[index]?.cacheHosts ?? [] { cloudOfCacheHost[host] = nil }
        clouds[index] = nil
      }
      for host in cloud.cacheHosts { cloudOfCacheHost[host] = clouds.count }
      clouds.append(cloud)
    }
    learned = clouds.compactMap(\.self)
    indices = [:]
    for (index, cloud) in learned.enumerated() {
      for host in cloud.cacheHosts.union([cloud.preferredNetwork]) where indices[host] == nil {
        indices[host] = index
      }
    }
  }

  /// Returns the clouds of another group that these aliases lack, or know by fewer hosts.
  ///
  /// The preferred hosts of a cloud that is known stay.
  func additions(of other: EnvironmentAliases) -> InstanceDiscovery {
    InstanceDiscovery(
      clouds: other.learned.compactMap { cloud in
        let hosts = cloud.cacheHosts.union([cloud.preferredNetwork])
        guard let known = hosts.compactMap(self.cloud).first else { return cloud }
        let added = cloud.cacheHosts.subtracting(known.cacheHosts)
        if added.isEmpty { return nil }
        return InstanceDiscovery.Cloud(
          preferredNetwork: known.preferredNetwork, preferredCache: known.preferredCache,
          aliases: known.aliases + added.sorted())
      })
  }

  /// Returns the canonical host under which a cloud's entries are stored.
  ///
  /// A host outside the known clouds is returned in lower case, an ``Issuer`` in its canonical spelling.
  package func canonical(_ host: String) -> String {
    if let issuer = Issuer.canonical(host) { return issuer }
    let host = host.lowercased()
    if CloudEnvironment.isKnown(host) { return CloudEnvironment.canonical(host) }
    guard let cloud = cloud(of: host) else { return host }
    let shipped = ([cloud.preferredCache] + cloud.aliases).first(where: CloudEnvironment.isKnown)
    return CloudEnvironment.canonical(shipped ?? cloud.preferredCache)
  }

  /// Returns whether two hosts are the same environment.
  package func areSame(_ left: String, _ right: String) -> Bool { canonical(left) == canonical(right) }

  /// Returns the hosts of an environment without duplicates: the canonical one, the given one, then the others.
  package func hosts(of host: String) -> [String] {
    let canonical = canonical(host)
    let others =
      CloudEnvironment.hosts(of: canonical)
      + learned.filter { areSame($0.preferredCache, host) }
      .flatMap(\.aliases)
    var seen: Set<String> = []
    let given = Issuer.canonical(host) ?? host.lowercased()
    return ([canonical, given] + others).filter { seen.insert($0).inserted }
  }

  /// Returns whether a host belongs to a learned cloud.
  package func isLearned(_ host: String) -> Bool { cloud(of: host.lowercased()) != nil }

  private func cloud(of host: String) -> InstanceDiscovery.Cloud? {
    indices[host].map { learned[$0] }
  }

  // MARK: The stored record

  /// The group's record of the learned clouds.
  package static let record = RecordKey.groupData("environments")

  /// Reads the clouds that a group has learned, without the entries that can't be read.
  package init(in document: CacheDocument?) {
    let entries = document?[member: Self.member]?.arrayValue ?? []
    learn(InstanceDiscovery(clouds: entries.compactMap(InstanceDiscovery.cloud)))
  }

  /// Writes the learned clouds into the group's document.
  package func write(to document: inout CacheDocument) {
    let entries = learned.map { cloud -> JSONValue in
      .object([
        "preferred_network": .string(cloud.preferredNetwork),
        "preferred_cache": .string(cloud.preferredCache),
        "aliases": .array(cloud.aliases.map(JSONValue.string)),
      ])
    }
    if document[member: Self.member] == nil && entries.isEmpty { return }
    document[member: Self.member] = .array(entries)
  }
}

extension InstanceDiscovery.Cloud {
  /// The hosts that entries of the cloud may be stored under.
  fileprivate var cacheHosts: Set<String> { Set(aliases + [preferredCache]) }
}
