// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import TokenCacheModel

/// The content of a group's marker: the group, and its placement.
///
/// A marker of a newer version is read as far as it is understood, and its other members stay. It stops no call: what a
/// newer version stores in a way that this one does not understand is refused record by record.
package struct GroupMarker: Sendable {
  /// The format that this version writes.
  static let format = 1

  /// The size of the largest marker, in bytes.
  private static let maximumBytes = 64 << 10

  let group: AccessGroup
  package let placement: GroupPlacement
  /// When an app without shared locks last wrote the group.
  var unsharedLockWriters = UnsharedLockWriters()
  /// Other collections that are the group's, between which and this one its records are moved.
  ///
  /// Nothing else shows that once no stored password opens them.
  package var otherCollections: [ObjectPath] = []
  /// All members as they were read.
  private var fields: JSONObject = [:]

  package init(group: AccessGroup, placement: GroupPlacement) {
    self.group = group
    self.placement = placement
  }

  /// Parses a marker.
  ///
  /// - Throws: `corruptItem` when it is not a marker; `storageFailed` when a newer version wrote it and it says nothing
  ///   that this one understands.
  package init(parsing secret: Secret) throws(SecretStoreError) {
    guard secret.count <= Self.maximumBytes,
      let fields = secret.read({ try? JSONValue(parsing: $0) })?.objectValue,
      let format = fields["format"]?.textValue.flatMap({ Int($0) })
    else { throw SecretStoreError(.corruptItem, "The access group's marker does not decode.") }
    do {
      try self.init(fields)
    } catch {
      guard format > Self.format else { throw error }
      throw SecretStoreError(
        .storageFailed,
        "A newer version wrote the access group's marker, in format \(format); update this app.")
    }
  }

  private init(_ fields: JSONObject) throws(SecretStoreError) {
    guard let name = fields["name"]?.stringValue else {
      throw SecretStoreError(.corruptItem, "The access group's marker does not decode.")
    }
    guard let placement = fields["placement"]?.stringValue.flatMap(GroupPlacement.init(markerValue:)) else {
      throw SecretStoreError(.corruptItem, "The access group's marker does not say where the group is.")
    }
    let publisher = fields["publisher"]?.stringValue ?? ""
    self.group = try AccessGroup(name, publisher: publisher.isEmpty ? nil : try Publisher(publisher))
    self.placement = placement
    self.fields = fields
    unsharedLockWriters = UnsharedLockWriters(fields["unlocked_writer_at"])
    let others = fields["other_collections"]?.arrayValue ?? []
    otherCollections = others.compactMap { $0.stringValue.flatMap(ObjectPath.init) }
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

  /// Returns whether a newer version wrote a secret as a marker, and this one does not understand it.
  package static func isOfNewerVersion(_ secret: Secret) -> Bool {
    do throws(SecretStoreError) {
      _ = try GroupMarker(parsing: secret)
      return false
    } catch {
      return error.code == .storageFailed
    }
  }

  package func serialized() -> Secret {
    var fields = fields
    fields["name"] = .string(group.name)
    fields["publisher"] = .string(group.publisher?.name ?? "")
    fields["placement"] = .string(placement.description)
    if fields["format"] == nil { fields["format"] = .init(integerLiteral: Self.format) }
    fields["unlocked_writer_at"] = unsharedLockWriters.value
    fields["other_collections"] =
      otherCollections.isEmpty ? nil : .array(otherCollections.map { .string($0.text) })
    return Secret(JSONValue.object(fields).serialized())
  }
}
