// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import TokenCacheModel

/// The content of a group's marker: the group, its placement and the format of its items.
package struct GroupMarker: Sendable {
  /// The format that this version writes, and the newest that it reads.
  static let format = 1

  let group: AccessGroup
  package let placement: GroupPlacement
  /// When an app without shared locks last wrote the group.
  var unsharedLockWriters = UnsharedLockWriters()

  package init(group: AccessGroup, placement: GroupPlacement) {
    self.group = group
    self.placement = placement
  }

  /// Parses a marker.
  ///
  /// - Throws: `corruptItem` when it is not a marker; `storageFailed` when a newer version wrote it.
  package init(parsing secret: Secret) throws(SecretStoreError) {
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
    unsharedLockWriters = UnsharedLockWriters(fields["unlocked_writer_at"])
  }

  /// Parses the marker of a known group.
  ///
  /// - Throws: As ``init(parsing:)``, and `corruptItem` when it is another group's marker.
  package init(parsing secret: Secret, of group: AccessGroup) throws(SecretStoreError) {
    try self.init(parsing: secret)
    guard self.group == group else {
      throw SecretStoreError(.corruptItem, "The access group's marker names another group.")
    }
  }

  /// Returns whether a secret is a marker of the group, or may be one that a newer version wrote.
  package static func isMarker(_ secret: Secret, of group: AccessGroup) -> Bool {
    do throws(SecretStoreError) {
      _ = try GroupMarker(parsing: secret, of: group)
      return true
    } catch {
      return error.code != .corruptItem
    }
  }

  package func serialized() -> Secret {
    var fields: JSONObject = [
      "name": .string(group.name),
      "publisher": .string(group.publisher?.name ?? ""),
      "placement": .string(placement.description),
      "format": .init(integerLiteral: Self.format),
    ]
    fields["unlocked_writer_at"] = unsharedLockWriters.value
    return Secret(JSONValue.object(fields).serialized())
  }
}
