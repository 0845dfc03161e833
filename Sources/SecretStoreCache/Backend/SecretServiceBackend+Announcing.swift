// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Announcing to apps that share locks that this app does not.
extension SecretServiceBackend {
  /// Records in the group's marker that an app without shared locks writes the group.
  ///
  /// A marker that already says so is left as it is. After a change the call waits until writes have arrived that other
  /// apps started before they could see it.
  ///
  /// - Parameters:
  ///   - key: The record that is about to be written. It is read in the same step.
  ///   - makes: Whether to create the group when there is none.
  func announceUnsharedWriter(_ key: RecordKey, makingGroup makes: Bool) async throws {
    guard !client.locks.isShared else { return }
    if try await reopening({ try await writers(beside: key) }).areRecent() { return }
    if makes {
      // A group that this app creates has the announcement in its marker from the start.
      _ = try await GroupCreator(client: client, group: group, policy: placement).findOrMake()
    }
    let attributes = GroupFinder(client: client, group: group).markerAttributes
    let paths = try await client.search(attributes).unlocked
    let secrets = try await client.secrets(of: paths)
    let standings = try await GroupProof(client: client, group: group)
      .standings(of: Set(paths.map(\.parent)))
    var isNew = false
    for path in paths where standings[path.parent] == .proven {
      // A marker that can't be read is left for the repair; another group's is not this one's to change.
      guard let secret = secrets[path], var marker = try? GroupMarker(parsing: secret, of: group),
        !marker.unsharedLockWriters.areRecent()
      else { continue }
      marker.unsharedLockWriters = .now()
      do {
        try await client.setSecret(marker.serialized(), of: path)
        isNew = true
      } catch let error as BusError where error.meaning == .noSuchObject {
        // The marker was moved in the meantime. The next write announces it in the new place.
      }
    }
    if isNew { try await OptimisticWrite.settle() }
  }
}
