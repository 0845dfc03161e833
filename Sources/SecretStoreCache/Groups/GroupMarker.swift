// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// What a group's marker says: which collection is the group's, and in which format its items are.
struct GroupMarker: Sendable {
  /// The format that this version writes, and the newest that it reads.
  static let format = 1

  let group: AccessGroup
  let placement: GroupPlacement

  init(group: AccessGroup, placement: GroupPlacement) {
    self.group = group
    self.placement = placement
  }

  /// Reads a marker.
  ///
  /// - Throws: `corruptItem` when it is no marker, `storageFailed` when a newer version wrote it.
  init(parsing secret: Secret) throws(SecretStoreError) {
    guard let fields = secret.read({ try? JSONValue(parsing: $0) })?.objectValue,
      let name = fields["name"]?.stringValue,
      let format = fields["format"]?.textValue.flatMap({ Int($0) })
    else { throw SecretStoreError(.corruptItem, "The access group's marker does not decode.") }
    guard format <= Self.format else {
      throw SecretStoreError(
        .storageFailed, "The access group was made by a newer version, in format \(format); update this app.")
    }
    guard let placement = fields["placement"]?.stringValue.flatMap(GroupPlacement.init(markerValue:)) else {
      throw SecretStoreError(.corruptItem, "The access group's marker does not say where the group is.")
    }
    let publisher = fields["publisher"]?.stringValue ?? ""
    self.group = try AccessGroup(name, publisher: publisher.isEmpty ? nil : try Publisher(publisher))
    self.placement = placement
  }

  func serialized() -> Secret {
    let fields: JSONObject = [
      "name": .string(group.name),
      "publisher": .string(group.publisher?.name ?? ""),
      "placement": .string(placement.description),
      "format": .init(integerLiteral: Self.format),
    ]
    return Secret(JSONValue.object(fields).serialized())
  }
}
