// SPDX-License-Identifier: MIT

import StrictJSON

extension CacheDocument {
  /// Puts the entries of each cloud under one host.
  ///
  /// If a cloud's entries are under several hosts, they move to the host for requests. Otherwise they stay where they
  /// are.
  mutating func mergeCloudHosts() {
    let (credentials, accounts, metadata) = (credentials, accounts, appMetadata)
    let hosts = Set((credentials.map(\.environment) + accounts.map(\.environment)).map { $0.lowercased() })
    let clouds = Dictionary(grouping: hosts, by: CloudEnvironment.canonical).filter { $0.value.count > 1 }
    if clouds.isEmpty { return }
    func host(_ environment: String) -> String? {
      let cloud = CloudEnvironment.canonical(environment)
      return clouds[cloud] == nil ? nil : CloudEnvironment.network(cloud)
    }
    var merged = IndexedDocument(self)
    for credential in credentials {
      if let host = host(credential.environment) { merged.put(credential.under(host)) }
    }
    for var account in accounts {
      guard let host = host(account.environment) else { continue }
      account.fields["environment"] = .string(host)
      merged.put(account)
    }
    for var metadata in metadata {
      guard let host = host(metadata.environment) else { continue }
      metadata.fields["environment"] = .string(host)
      merged.put(metadata)
    }
    self = merged.document
  }

  /// Puts every entry under the host that a function returns for its current host.
  package mutating func move(_ host: (String) -> String) {
    var hosts: [String: String] = [:]
    for section in CacheSection.allCases {
      var entries = self[section]
      for (key, value) in entries {
        guard var fields = value.objectValue, let old = fields["environment"]?.stringValue else { continue }
        let new = hosts[old] ?? host(old)
        hosts[old] = new
        if new == old { continue }
        fields["environment"] = .string(new)
        entries[key] = .object(fields)
      }
      if entries != self[section] { self[section] = entries }
    }
  }

  /// Applies a change to the members of every entry.
  mutating func changeEntries(_ change: (CacheSection, inout JSONObject) -> Void) {
    for section in CacheSection.allCases {
      var entries = self[section]
      for (key, value) in entries {
        guard var fields = value.objectValue else { continue }
        change(section, &fields)
        if .object(fields) != value { entries[key] = .object(fields) }
      }
      if entries != self[section] { self[section] = entries }
    }
  }
}
