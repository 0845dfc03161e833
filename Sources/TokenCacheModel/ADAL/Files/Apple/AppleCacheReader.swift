// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Reads what ADAL for iOS and macOS archives: one item, or the serialised cache
/// `{version, tokenCache: {tokens: {user: {key: item}}}}`.
struct AppleCacheReader {
  private var archive: KeyedArchive
  private var seen: Set<PropertyList> = []

  /// Reads a file.
  static func read(_ bytes: [UInt8], into list: inout ADALEntryList) throws(SecretStoreError) {
    var reader = AppleCacheReader(archive: try KeyedArchive(try PropertyList(parsing: bytes)))
    try reader.read(into: &list)
  }

  private init(archive: KeyedArchive) { self.archive = archive }

  private mutating func read(into list: inout ADALEntryList) throws(SecretStoreError) {
    let root = archive.root
    switch try frame({ reader throws(ADALEntryProblem) in try reader.archive.object(root) }) {
    case .object(let named, _) where named == .item || named == .primaryRefreshToken:
      try take(root, owner: nil, key: nil, into: &list)
    case .object(let named, _) where named == .dictionary || named == .mutableDictionary:
      for (owner, items) in try frame({ reader throws(ADALEntryProblem) in try reader.users() }) {
        for (key, item) in try frame({ reader throws(ADALEntryProblem) in try reader.items(items) }) {
          try take(item, owner: owner, key: key, into: &list)
        }
      }
    default: throw SecretStoreError(.corruptItem, "The archive holds neither an item nor a cache of ADAL's.")
    }
  }

  /// Reads a part of the archive that the entries hang from, and which can't be skipped.
  private mutating func frame<Part>(
    _ read: (inout AppleCacheReader) throws(ADALEntryProblem) -> Part
  ) throws(SecretStoreError) -> Part {
    do throws(ADALEntryProblem) {
      return try read(&self)
    } catch {
      throw SecretStoreError(.corruptItem, "The archive \(error.detail).")
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
    try see(value)
    guard let items = try archive.pairs(value, "user") else {
      throw ADALEntryProblem("has a user without items")
    }
    return items
  }

  /// Each user's items, and each item, are in one place: otherwise a small file would hold a huge cache.
  private mutating func see(_ value: PropertyList) throws(ADALEntryProblem) {
    guard seen.insert(value).inserted else { throw ADALEntryProblem("has an object in two places") }
  }

  private mutating func take(
    _ item: PropertyList, owner: String?, key: PropertyList?, into list: inout ADALEntryList
  ) throws(SecretStoreError) {
    try frame { reader throws(ADALEntryProblem) in try reader.see(item) }
    try list.take { () throws(ADALEntryProblem) in
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
