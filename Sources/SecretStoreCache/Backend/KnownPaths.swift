// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The item paths of the records that this process has seen.
///
/// The paths are valid for one daemon only, because another daemon may give the same path to another item. They are
/// also valid for one settled version of the group only: after the next version the record may have moved.
struct KnownPaths {
  /// The daemon and the group version for which the paths are valid.
  struct CacheGeneration: Hashable {
    let daemon: String
    /// The group's version, or `nil` where versions can't be read.
    let version: VersionFile.Version?
  }

  private var paths: [RecordKey: ObjectPath] = [:]
  private var generation: CacheGeneration?

  func path(of key: RecordKey, in generation: CacheGeneration) -> ObjectPath? {
    self.generation == generation ? paths[key] : nil
  }

  /// Stores the path of a record's item, unless a change of the group is under way.
  ///
  /// - Parameter generation: The cache generation before the item was searched for.
  mutating func remember(_ path: ObjectPath, for key: RecordKey, in generation: CacheGeneration) {
    if generation.version?.isSettled == false { return }
    if self.generation != generation {
      paths = [:]
      self.generation = generation
    }
    paths[key] = path
  }

  mutating func forget(_ key: RecordKey) { paths[key] = nil }
}
