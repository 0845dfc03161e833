// SPDX-License-Identifier: MIT

extension CacheDocument {
  /// Puts all entries of a cloud under one host: the one that they are under, else the one that requests go to.
  mutating func gatherClouds() {
    let entries = credentials.map(\.environment) + accounts.map(\.environment)
    let clouds = Dictionary(grouping: Set(entries.map { $0.lowercased() }), by: CloudEnvironment.canonical)
    for (cloud, hosts) in clouds where hosts.count > 1 { move(cloud, to: CloudEnvironment.network(cloud)) }
  }

  /// Puts every entry under the host that is given for its own.
  mutating func move(_ host: (String) -> String) {
    for section in CacheSection.allCases {
      var entries = self[section]
      for (key, value) in entries {
        guard var fields = value.objectValue, let old = fields["environment"]?.stringValue, host(old) != old
        else { continue }
        fields["environment"] = .string(host(old))
        entries[key] = .object(fields)
      }
      if entries != self[section] { self[section] = entries }
    }
  }

  private mutating func move(_ cloud: String, to host: String) {
    for credential in credentials where CloudEnvironment.areSame(credential.environment, cloud) {
      put(credential.under(host))
    }
    for var account in accounts where CloudEnvironment.areSame(account.environment, cloud) {
      account.fields["environment"] = .string(host)
      put(account)
    }
    for var metadata in appMetadata where CloudEnvironment.areSame(metadata.environment, cloud) {
      metadata.fields["environment"] = .string(host)
      put(metadata)
    }
  }
}
