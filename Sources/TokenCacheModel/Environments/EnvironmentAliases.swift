// SPDX-License-Identifier: MIT

/// Which hosts are one environment: the clouds that this package knows, and those that a group has learnt.
public struct EnvironmentAliases: Sendable, Hashable {
  private static let member = "environments"

  /// The clouds that were learnt and that the shipped table does not know whole.
  private(set) var learnt: [InstanceDiscovery.Cloud] = []

  /// The shipped table alone.
  public static let shipped = EnvironmentAliases()

  private init() {}

  /// Takes over the clouds of a discovery answer.
  ///
  /// A cloud that shares a host with a shipped one extends it and keeps its canonical host; one that shares a host
  /// with a learnt one replaces it.
  mutating func learn(_ discovery: InstanceDiscovery) {
    for cloud in discovery.clouds {
      let hosts = Set(cloud.aliases + [cloud.preferredCache, cloud.preferredNetwork])
      if hosts.allSatisfy(CloudEnvironment.isKnown) { continue }
      learnt.removeAll { !hosts.isDisjoint(with: $0.aliases + [$0.preferredCache]) }
      learnt.append(cloud)
    }
  }

  /// The one host under which a cloud's entries are kept; for a host outside the known clouds, itself in lower
  /// case.
  public func canonical(_ host: String) -> String {
    let host = host.lowercased()
    if CloudEnvironment.isKnown(host) { return CloudEnvironment.canonical(host) }
    guard let cloud = cloud(of: host) else { return host }
    let shipped = ([cloud.preferredCache] + cloud.aliases).first(where: CloudEnvironment.isKnown)
    return CloudEnvironment.canonical(shipped ?? cloud.preferredCache)
  }

  /// Whether two hosts are the same environment.
  public func areSame(_ left: String, _ right: String) -> Bool { canonical(left) == canonical(right) }

  /// The hosts of an environment, each once: the canonical one, the one given, and then the others.
  public func hosts(of host: String) -> [String] {
    let canonical = canonical(host)
    let others =
      CloudEnvironment.hosts(of: canonical)
      + learnt.filter { areSame($0.preferredCache, host) }
      .flatMap(\.aliases)
    var hosts: [String] = []
    for candidate in [canonical, host.lowercased()] + others where !hosts.contains(candidate) {
      hosts.append(candidate)
    }
    return hosts
  }

  private func cloud(of host: String) -> InstanceDiscovery.Cloud? {
    learnt.first { $0.preferredCache == host || $0.preferredNetwork == host || $0.aliases.contains(host) }
  }

  // MARK: The record that keeps them

  /// The group's record of what was learnt.
  static let record = RecordKey.groupData("environments")

  /// Reads what a group has learnt; an entry that can't be read counts as not learnt.
  init(in document: CacheDocument?) {
    let entries = document?[member: Self.member]?.arrayValue ?? []
    learn(InstanceDiscovery(clouds: entries.compactMap(InstanceDiscovery.cloud)))
  }

  /// Puts what was learnt into the group's document.
  func write(to document: inout CacheDocument) {
    let entries = learnt.map { cloud -> JSONValue in
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
