// SPDX-License-Identifier: MIT

/// What a unified cache knows of a client: whether it belongs to a family of clients (FOCI).
public struct AppMetadataEntry: Sendable, Hashable {
  /// All members as they are stored.
  public internal(set) var fields: JSONObject

  /// Makes an entry.
  ///
  /// A client that is known not to be in a family has an empty family id.
  init(clientID: String, environment: String, familyID: String?) {
    self.fields = [
      "client_id": .string(clientID),
      "environment": .string(environment),
      "family_id": .string(familyID ?? ""),
    ]
  }

  /// Reads a stored entry; `nil` when it names no client or no environment.
  init?(_ value: JSONValue) {
    guard let fields = value.objectValue else { return nil }
    self.fields = fields
    if clientID.isEmpty || environment.isEmpty { return nil }
  }

  /// The client.
  public var clientID: String { fields["client_id"]?.stringValue ?? "" }
  /// The host that the entry was written under.
  public var environment: String { fields["environment"]?.stringValue ?? "" }
  /// The family; empty for a client that is known to be in none.
  public var familyID: String { fields["family_id"]?.stringValue ?? "" }

  /// The key that the entry is written under.
  var key: String { "appmetadata-\(environment)-\(clientID)".lowercased() }

  /// Whether the entry is about a client: GUIDs are compared in any case, others exactly.
  func isOf(_ client: String) -> Bool { RecordKey.storedClient(clientID) == RecordKey.storedClient(client) }

  /// Whether two entries are about the same client in the same environment.
  func isSame(as other: AppMetadataEntry) -> Bool {
    isOf(other.clientID)
      && CloudEnvironment.areSame(environment, other.environment)
  }

  /// This entry over an older one: what only the older one has stays.
  func merged(over older: AppMetadataEntry) -> AppMetadataEntry {
    var result = older
    for (name, value) in fields { result.fields[name] = value }
    return result
  }
}
