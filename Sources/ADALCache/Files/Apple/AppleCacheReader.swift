// SPDX-License-Identifier: MIT

import KeychainGroupModel
import PropertyLists

/// A reader of archives of ADAL for iOS and macOS.
///
/// An archive holds one item, or the serialized cache `{version, tokenCache: {tokens: {user: {key: item}}}}`.
struct AppleCacheReader {
  private var archive: KeyedArchive
  private var visited: Set<PropertyList> = []

  /// Reads a file.
  static func read(_ bytes: [UInt8], into list: inout ADALEntryList) throws(SecretStoreError) {
    let archive: PropertyList
    do { archive = try PropertyList(parsing: bytes) } catch {
      throw SecretStoreError(.invalidFile, "\(error)")
    }
    var reader = AppleCacheReader(archive: try KeyedArchive(archive))
    try reader.read(into: &list)
  }

  private init(archive: KeyedArchive) { self.archive = archive }

  private mutating func read(into list: inout ADALEntryList) throws(SecretStoreError) {
    let root = archive.root
    switch try frame({ reader throws(ADALEntryProblem) in try reader.archive.object(root) }) {
    case .object(let named, _) where named == .item || named == .primaryRefreshToken:
      try add(root, owner: nil, key: nil, into: &list)
    case .object(let named, _) where named == .dictionary || named == .mutableDictionary:
      for (owner, items) in try frame({ reader throws(ADALEntryProblem) in try reader.users() }) {
        for (key, item) in try frame({ reader throws(ADALEntryProblem) in try reader.items(items) }) {
          try add(item, owner: owner, key: key, into: &list)
        }
      }
    default: throw SecretStoreError(.invalidFile, "The archive holds neither an item nor a cache of ADAL's.")
    }
  }

  /// Reads a part of the archive that contains the entries; an error in it can't be skipped.
  private mutating func frame<Part>(
    _ read: (inout AppleCacheReader) throws(ADALEntryProblem) -> Part
  ) throws(SecretStoreError) -> Part {
    do throws(ADALEntryProblem) {
      return try read(&self)
    } catch {
      throw SecretStoreError(.invalidFile, "The archive \(error.detail).")
    }
  }

  private mutating func users() throws(ADALEntryProblem) -> [(name: String, value: PropertyList)] {
    let root = try archive.members(archive.root, "cache") ?? []
    func member(_ name: String, _ members: [(name: String, value: PropertyList)]) -> PropertyList? {
      members.first { $0.name == name }?.value
    }
    try checkVersion(member("version", root))
    guard let cache = try archive.members(member("tokenCache", root), "tokenCache") else {
      throw ADALEntryProblem("lacks a tokenCache")
    }
    return try archive.members(member("tokens", cache), "tokens") ?? []
  }

  private mutating func checkVersion(_ value: PropertyList?) throws(ADALEntryProblem) {
    let version: Double? =
      switch try archive.object(value) {
      case .plain(.real(let real)): real
      case .plain(.integer(let integer)): Double(integer)
      case .plain(.string(let text)): Double(text)
      default: nil
      }
    guard let version, 0...1 ~= version else { throw ADALEntryProblem("is of no known version") }
  }

  private mutating func items(
    _ value: PropertyList
  ) throws(ADALEntryProblem) -> [(key: PropertyList, value: PropertyList)] {
    try markVisited(value)
    guard let items = try archive.pairs(value, "user") else {
      throw ADALEntryProblem("has a user without items")
    }
    return items
  }

  /// Records an object and refuses one that occurs twice: otherwise a small file could expand to a huge cache.
  private mutating func markVisited(_ value: PropertyList) throws(ADALEntryProblem) {
    guard visited.insert(value).inserted else { throw ADALEntryProblem("has an object in two places") }
  }

  private mutating func add(
    _ item: PropertyList, owner: String?, key: PropertyList?, into list: inout ADALEntryList
  ) throws(SecretStoreError) {
    try frame { reader throws(ADALEntryProblem) in try reader.markVisited(item) }
    try list.add { () throws(ADALEntryProblem) in
      if let key {
        guard case .object(.key, _) = try archive.object(key) else {
          throw ADALEntryProblem("has a key that is none")
        }
      }
      var reader = AppleItemReader(archive: archive, owner: owner)
      defer { archive = reader.archive }
      return try reader.read(item)
    }
  }
}
