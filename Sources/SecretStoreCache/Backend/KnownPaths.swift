// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Which item holds which record, as far as this process has seen.
///
/// Good for one daemon only: another may give the same path to another item. And good for one version of the group, a
/// settled one: after the next one the record may have been moved.
struct KnownPaths {
  /// What paths are good for.
  struct Era: Hashable {
    let daemon: String
    /// `nil` where versions can't be read.
    let version: VersionFile.Version?
  }

  private var paths: [RecordKey: ObjectPath] = [:]
  private var era: Era?

  func path(of key: RecordKey, in era: Era) -> ObjectPath? { self.era == era ? paths[key] : nil }

  /// - Parameter era: Which it was before the item was looked for.
  mutating func remember(_ path: ObjectPath, for key: RecordKey, in era: Era) {
    if era.version?.isSettled == false { return }
    if self.era != era {
      paths = [:]
      self.era = era
    }
    paths[key] = path
  }

  mutating func forget(_ key: RecordKey) { paths[key] = nil }
}
