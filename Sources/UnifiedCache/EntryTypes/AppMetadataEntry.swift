// SPDX-License-Identifier: MIT

public import StrictJSON

/// The app metadata of a client: whether it belongs to a family of client IDs (FOCI).
///
/// Its description shows no content: the members can hold anything.
public struct AppMetadataEntry: Sendable, Hashable {
  /// All members, as they are stored.
  public package(set) var fields: JSONObject

  package var origin = KeyOrigin()

  /// Creates an entry.
  ///
  /// A client that is known to be in no family has an empty family ID.
  package init(clientID: String, environment: String, familyID: String?) {
    self.fields = [
      "client_id": .string(clientID),
      "environment": .string(environment),
      "family_id": .string(familyID ?? ""),
    ]
  }

  /// Reads a stored entry.
  ///
  /// The result is `nil` when the client or the environment is missing, or an identifier holds a control character.
  package init?(_ value: JSONValue, named key: String? = nil) {
    guard let fields = value.objectValue else { return nil }
    self.fields = fields
    if clientID.isEmpty || environment.isEmpty { return nil }
    if IdentifyingMembers.appMetadata.unsafe(in: fields) != nil { return nil }
    origin = KeyOrigin(key, at: environment)
  }

  /// The client ID.
  public var clientID: String { fields["client_id"]?.stringValue ?? "" }
  /// The host that the entry was written under, or the ``Issuer``.
  public var environment: String { fields["environment"]?.stringValue ?? "" }
  /// The family ID, empty for a client that is known to be in no family.
  public var familyID: String { fields["family_id"]?.stringValue ?? "" }

  /// The key to write the entry under.
  package var key: String { "appmetadata-\(environment)-\(clientID)".lowercased() }

  /// Returns whether the entry is about a client.
  ///
  /// GUIDs are compared without regard to case, other client IDs exactly.
  package func isOf(_ client: String) -> Bool {
    JSONText.equal(RecordKey.storedClient(clientID), RecordKey.storedClient(client))
  }

  /// The identity of a client in an environment.
  ///
  /// Entries with equal identities are about the same client.
  package struct Identity: Hashable {
    let client: JSONText
    let environment: String
  }

  package var identity: Identity {
    Identity(
      client: JSONText(RecordKey.storedClient(clientID)), environment: CloudEnvironment.canonical(environment)
    )
  }

  /// Returns whether two entries are about the same client in the same environment.
  package func isSame(as other: AppMetadataEntry) -> Bool { identity == other.identity }

  /// Returns this entry merged over an older one.
  ///
  /// Members that only the older entry has are kept.
  package func merged(over older: AppMetadataEntry) -> AppMetadataEntry {
    var result = older
    for (name, value) in fields { result.fields[name] = value }
    return result
  }
}

extension AppMetadataEntry: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without any content.
  public var description: String { "AppMetadataEntry(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
