// SPDX-License-Identifier: MIT

package import StrictJSON

/// A section's entries with an index by identity.
///
/// Both `entry(_:)` and `put(_:)` take constant time on average.
package struct IndexedSection<Entry: IdentifiedEntry> {
  private let section: CacheSection
  private var entries: JSONObject
  /// The keys of each entry.
  private var keys: [Entry.Identity: [String]] = [:]
  /// The keys to remove at the end, because removing them one by one would take time in proportion to the section.
  private var removed: Set<JSONText> = []

  package init(_ section: CacheSection, of document: CacheDocument) {
    self.section = section
    entries = document[section]
    for (key, value) in entries {
      guard let entry = Entry.read(value, named: key, in: section) else { continue }
      keys[entry.identity, default: []].append(key)
    }
  }

  /// The section's entries after all changes.
  package var finished: JSONObject {
    var finished = entries
    if !removed.isEmpty { finished.removeAll { key, _ in removed.contains(JSONText(key)) } }
    return finished
  }

  /// Returns the stored entry with an identity.
  package func entry(_ identity: Entry.Identity) -> Entry? {
    keys[identity]?.first.flatMap(read)
  }

  private func read(_ key: String) -> Entry? {
    entries[key].flatMap { Entry.read($0, named: key, in: section) }
  }

  /// Writes an entry in place of all entries with the same identity.
  ///
  /// The key has the form of the key that the entry was read under or, for a new entry, of the only entry that it
  /// replaces.
  package mutating func put(_ entry: Entry) {
    let identity = entry.identity
    let storedKeys = keys[identity] ?? []
    let stored = storedKeys.compactMap(read)
    var written = entry
    for other in stored { written = written.written(over: other) }
    written = written.completed
    let form = entry.keyForm ?? (stored.count == 1 ? stored[0].keyForm : nil)
    let key = freeKey(written.key(in: form), of: written, besides: storedKeys)
    for other in storedKeys where other != key { removed.insert(JSONText(other)) }
    removed.remove(JSONText(key))
    entries[key] = .object(written.fields)
    keys[identity] = [key]
  }

  /// Returns the entry's key, or the key with a digest as its suffix when another entry has the key.
  private func freeKey(_ key: String, of entry: Entry, besides own: [String]) -> String {
    let isFree = entries[key] == nil || own.contains(key) || removed.contains(JSONText(key))
    return isFree ? key : "\(key)-\(Digest.hex(entry.distinction).prefix(16))"
  }
}
