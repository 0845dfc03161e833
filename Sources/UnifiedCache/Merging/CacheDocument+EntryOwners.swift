// SPDX-License-Identifier: MIT

import StrictJSON

/// Removing what names an account, whatever its kind.
extension CacheDocument {
  /// This package's own member that holds the issuer of an entry stored under its host.
  static let issuerMember = "issuer"

  /// The names in an entry of any kind.
  package struct EntryOwner {
    /// The account ID, as the entry has it.
    package let homeAccountID: String
    /// The host or issuer; `nil` when the entry names none.
    package let environment: String?
    /// The client ID; `nil` when the entry names none.
    package let clientID: String?
    /// Whether the entry names a family of clients.
    package let namesFamily: Bool

    /// `nil` for an entry without an account.
    fileprivate init?(_ entry: JSONObject) {
      guard let identifier = entry["home_account_id"]?.stringValue else { return nil }
      homeAccountID = identifier
      environment = Self.name(entry[issuerMember] ?? entry["environment"]).map(CloudEnvironment.named)
      clientID = Self.name(entry["client_id"])
      namesFamily = entry["family_id"]?.stringValue?.isEmpty == false
    }

    /// Returns a name; `nil` for an empty one, which names nothing.
    private static func name(_ value: JSONValue?) -> String? {
      value?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns whether the entry is the account's, or may be, because it names no environment or only an issuer's host.
    package func isAccount(
      _ homeAccountID: String, at environment: String, _ aliases: EnvironmentAliases
    ) -> Bool {
      guard RecordKey.storedAccount(self.homeAccountID) == RecordKey.storedAccount(homeAccountID) else {
        return false
      }
      guard let stated = self.environment else { return true }
      let host = Issuer.hostOfUnknown(stated) ?? stated
      return aliases.areSame(stated, environment) || Issuer(environment)?.isAt(host) == true
        || Issuer.hostOfUnknown(environment) == stated.lowercased()
    }

    /// Returns whether the entry names a client.
    package func isOf(clientID: String) -> Bool {
      self.clientID.map { JSONText.equal(RecordKey.storedClient($0), RecordKey.storedClient(clientID)) }
        == true
    }
  }

  /// Removes the entries whose owner satisfies a condition, in every section and at any depth.
  ///
  /// Other versions and other libraries store kinds of entry that this version doesn't know. Such an entry belongs to
  /// the account in its member `home_account_id`. This package's own section stays as it is.
  package mutating func removeEntries(ownedBy fits: (EntryOwner) -> Bool) {
    for name in root.keys where name != Self.metadataSection {
      guard let section = root[name] else { continue }
      // A section can be an entry itself.
      let kept = Self.remaining(section, fits)
      if kept != section { self[member: name] = kept }
    }
  }

  /// Removes the entries that another document has, too, whatever their keys.
  mutating func removeEntries(of other: CacheDocument) {
    for (name, others) in other.root where name != Self.metadataSection {
      guard let section = root[name] else { continue }
      guard let members = section.objectValue, let others = others.objectValue.map({ Set($0.map(\.value)) })
      else {
        if section == others { self[member: name] = nil }
        continue
      }
      var kept: JSONObject = [:]
      for (key, entry) in members where !others.contains(entry) { kept[key] = entry }
      self[member: name] = kept.isEmpty ? nil : .object(kept)
    }
  }

  /// Removes the members that are empty, and are not in another document.
  mutating func removeEmptyMembers(besides other: CacheDocument) {
    for (name, value) in root where value == .object([:]) && other.root[name] != value {
      self[member: name] = nil
    }
  }

  /// The owners of the entries that ``removeEntries(ownedBy:)`` may remove.
  package var owners: [EntryOwner] {
    root.filter { $0.key != Self.metadataSection }.flatMap { Self.owners(in: $0.value) }
  }

  /// Returns whether entries name accounts, and none names this one: then this package's own section doesn't tell whose
  /// the document is.
  ///
  /// - Parameter account: The account in its stored form.
  package func isOfOthers(than account: String) -> Bool {
    let owners = Set(owners.map(\.homeAccountID)).subtracting([""])
    return !owners.isEmpty && !owners.contains { RecordKey.storedAccount($0) == account }
  }

  private static func owners(in value: JSONValue) -> [EntryOwner] {
    switch value {
    case .object(let members):
      return [EntryOwner(members)].compactMap(\.self) + members.flatMap { owners(in: $0.value) }
    case .array(let elements): return elements.flatMap(owners)
    default: return []
    }
  }

  /// Returns the account, the environment and the client that an entry names, as they are compared; `nil` for none.
  static func ownerNames(_ entry: JSONValue) -> [String]? {
    entry.objectValue.flatMap { EntryOwner($0) }.map { owner in
      [
        RecordKey.storedAccount(owner.homeAccountID), owner.environment.map(CloudEnvironment.canonical) ?? "",
        owner.clientID.map(RecordKey.storedClient) ?? "",
      ]
    }
  }

  /// Removes every token, and every entry that names an account.
  package mutating func removeOwnedEntries() {
    removeEntries { _ in true }
    for section in CacheSection.credentials where !self[section].isEmpty { self[section] = [:] }
  }

  /// Returns whether ``removeEntries(ownedBy:)`` would remove anything.
  package func hasEntries(ownedBy fits: (EntryOwner) -> Bool) -> Bool {
    root.contains { $0.key != Self.metadataSection && Self.remaining($0.value, fits) != $0.value }
  }

  /// Returns a value without the objects whose owner satisfies a condition; `nil` for such an object itself.
  private static func remaining(_ value: JSONValue, _ fits: (EntryOwner) -> Bool) -> JSONValue? {
    switch value {
    case .object(let members):
      if let owner = EntryOwner(members), fits(owner) { return nil }
      var kept: JSONObject = [:]
      for (name, member) in members { kept[name] = remaining(member, fits) }
      return .object(kept)
    case .array(let elements): return .array(elements.compactMap { remaining($0, fits) })
    default: return value
    }
  }
}
