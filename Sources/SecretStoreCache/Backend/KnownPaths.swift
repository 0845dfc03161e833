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

  private struct Item {
    let path: ObjectPath
    /// Whether it was found by all of the record's attributes, and not only by what its document says of itself.
    let isCertain: Bool
  }

  private var items: [RecordKey: Item] = [:]
  private var era: Era?

  /// The item of a record.
  ///
  /// - Parameter isForWriting: Whether it is to be written to, for which it has to be certain.
  func path(of key: RecordKey, in era: Era, isForWriting: Bool) -> ObjectPath? {
    guard self.era == era, let item = items[key], item.isCertain || !isForWriting else { return nil }
    return item.path
  }

  /// - Parameter era: Which it was before the item was looked for.
  mutating func remember(_ path: ObjectPath, for key: RecordKey, in era: Era, isCertain: Bool = true) {
    if era.version?.isSettled == false { return }
    if self.era != era {
      items = [:]
      self.era = era
    }
    if isCertain || items[key]?.isCertain != true { items[key] = Item(path: path, isCertain: isCertain) }
  }

  mutating func forget(_ key: RecordKey) { items[key] = nil }
}
