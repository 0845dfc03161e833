// SPDX-License-Identifier: MIT

import StrictJSON

/// The entries of several documents that this version doesn't know: those of unknown sections, and those of known ones
/// that can't be read.
///
/// Keys have no meaning: two entries under one key are two, if they name different accounts or clients. Work on many
/// documents takes time in proportion to their number.
struct UnknownEntries {
  private var base: CacheDocument
  /// The number of entries that were not added because there is another one of their key, account and client.
  private(set) var conflicts = 0
  private var sections: [String: Entries] = [:]

  /// The entries of one section.
  private struct Entries {
    private(set) var stored: JSONObject
    private var known: Set<[UInt8]>
    /// The last number that was added to a key, to part entries of one key.
    private var numbers: [String: Int] = [:]

    init(_ stored: JSONObject) {
      self.stored = stored
      known = Set(stored.map { $0.value.serialized() })
    }

    /// Adds the entries that are not there yet, except where another one has the key of the same account and client.
    ///
    /// - Parameter isOfOthers: Whether two entries of one key that name nobody are two, because their documents are of
    ///   different accounts or clients.
    /// - Returns: The number of entries that were not added.
    mutating func add(_ others: JSONObject, _ isOfOthers: Bool) -> Int {
      var conflicts = 0
      for (key, value) in others where known.insert(value.serialized()).inserted {
        var free = key
        if let own = stored[key] {
          let owner = CacheDocument.ownerNames(own)
          if owner == CacheDocument.ownerNames(value), owner != nil || !isOfOthers {
            conflicts += 1
            continue
          }
          var number = numbers[key] ?? 1
          repeat {
            WorkMeter.count()
            number += 1
            free = "\(key)-\(number)"
          } while stored[free] != nil
          numbers[key] = number
        }
        stored[free] = value
      }
      return conflicts
    }
  }

  /// Begins with a document.
  init(in document: CacheDocument) { base = document }

  /// Adds what a document has.
  ///
  /// - Parameter isOfOthers: Whether the document is another account's or client's than those before.
  mutating func add(_ document: CacheDocument, isOfOthers: Bool = false) {
    for (name, value) in document.root {
      guard let entries = value.objectValue else {
        if base[member: name] == nil { base[member: name] = value }
        if base[member: name] != value { conflicts += 1 }
        continue
      }
      var unknown = entries
      if let section = CacheSection(rawValue: name) {
        unknown.removeAll { CacheDocument.isReadable($1, section) }
        if unknown.isEmpty { continue }
      }
      if sections[name] == nil {
        guard let stored = base[member: name].map(\.objectValue) ?? [:] else {
          conflicts += 1
          continue
        }
        sections[name] = Entries(stored)
      }
      conflicts += sections[name]?.add(unknown, isOfOthers) ?? 0
    }
  }

  /// The document with all that was added.
  var document: CacheDocument {
    var document = base
    for (name, entries) in sections { document[member: name] = .object(entries.stored) }
    return document
  }
}
