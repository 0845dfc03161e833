// SPDX-License-Identifier: MIT

import KeychainGroupModel
package import SecretStoreCache
package import UnifiedCache

/// One cache of a tool, as it was found.
package struct PartnerCache: Sendable {
  package enum State: Sendable {
    case absent
    /// It is in a locked keyring.
    case locked
    /// It may be in a keyring that can't be searched for it while that is locked.
    case hidden
    /// It can't be read, for the reason of the error.
    case unreadable(SecretStoreError)
    /// It is there, and only the tool can read it.
    case opaque
    case read(PartnerContent)
    /// A record of an account, without a token.
    case accountRecord(CacheDocument)

    /// The state in one word.
    package var name: String {
      switch self {
      case .absent: "absent"
      case .locked: "locked"
      case .hidden: "unknown"
      case .unreadable: "unreadable"
      case .opaque: "encrypted"
      case .read: "readable"
      case .accountRecord: "record"
      }
    }
  }

  package let place: Partner.Place
  package let state: State
  /// The item that was found.
  let item: ObjectPath?
  /// The file with the cache in plain text.
  package let plainFile: String?
  /// The bytes of the cache.
  let bytes: [UInt8]

  private init(
    _ place: Partner.Place, _ state: State, item: ObjectPath? = nil, plainFile: String? = nil,
    bytes: [UInt8] = []
  ) {
    self.place = place
    self.state = state
    self.item = item
    self.plainFile = plainFile
    self.bytes = bytes
  }

  /// Whether there is a cache, readable or not.
  package var isThere: Bool {
    switch state {
    case .absent, .hidden: false
    default: true
    }
  }

  /// Whether there may be a cache that nothing shows while a keyring is locked.
  package var isHidden: Bool { if case .hidden = state { true } else { false } }

  /// The file in which tokens are in plain text; `nil` when the cache holds none, or can't be read.
  var plainTokens: String? { document?.credentials.isEmpty == false ? plainFile : nil }

  package var document: CacheDocument? {
    switch state {
    case .read(let content): content.document
    case .accountRecord(let document): document
    default: nil
    }
  }

  static func absent(_ place: Partner.Place) -> PartnerCache { PartnerCache(place, .absent) }

  static func unreadable(_ place: Partner.Place, _ error: SecretStoreError) -> PartnerCache {
    PartnerCache(place, .unreadable(error))
  }

  /// Looks for a cache and reads it; nothing is unlocked or changed.
  ///
  /// Of several items of the tool, the one that was changed last counts.
  package static func find(_ place: Partner.Place, in store: SecretStore) async throws -> PartnerCache {
    guard let item = place.item else { return try file(place) }
    let found: PartnerCache
    do {
      found = try await store.guarded { try await find(item, of: place, with: $0) }
    } catch let error as SecretStoreError {
      found = PartnerCache(place, .unreadable(error))
    }
    guard case .absent = found.state, place.content == .cache else { return found }
    return try file(place)
  }

  private static func find(
    _ item: Partner.Item, of place: Partner.Place, with client: SecretServiceClient
  ) async throws -> PartnerCache {
    let found = try await client.search(item.searched)
    var newest: (path: ObjectPath, modified: Int)?
    for path in found.unlocked where item.fits(try await client.attributes(of: path)) {
      let modified = try await client.modified(path)
      if newest.map({ $0.modified < modified }) ?? true { newest = (path, modified) }
    }
    guard let newest else {
      if !found.locked.isEmpty { return PartnerCache(place, .locked) }
      if found.isIncomplete { return PartnerCache(place, unsearched(place)) }
      // A locked collection does not know the schemas of its items.
      let keyring = item.attributes.isEmpty ? try await client.collection(alias: "default") : nil
      let isLocked = if let keyring { try await client.isLocked(keyring) } else { Optional(false) }
      return PartnerCache(place, isLocked == true ? unsearched(place) : .absent)
    }
    if place.content == .opaque { return PartnerCache(place, .opaque, item: newest.path) }
    guard let secret = try await client.secrets(of: [newest.path])[newest.path] else {
      return PartnerCache(place, .absent)
    }
    let bytes = secret.read { $0 }
    return PartnerCache(place, parsed(bytes, at: "The \(item.description)"), item: newest.path, bytes: bytes)
  }

  /// Returns the state of a place whose item can't be searched for: a file beside the item shows that the tool has one.
  private static func unsearched(_ place: Partner.Place) -> State {
    place.files.contains { FileReader().information($0, followsLink: false) != nil } ? .locked : .hidden
  }

  /// Reads the first of the place's files that holds something.
  private static func file(_ place: Partner.Place) throws -> PartnerCache {
    for path in place.files {
      do throws(SecretStoreError) {
        guard let bytes = try PartnerFile.read(path) else { continue }
        switch place.content {
        case .opaque: return PartnerCache(place, .opaque, plainFile: nil)
        case .accountRecord:
          return PartnerCache(
            place, .accountRecord(try PartnerContent.accountRecord(bytes)), plainFile: nil, bytes: bytes)
        case .cache: break
        }
        // The companion file of an item is empty, or holds an empty object.
        if place.item != nil, bytes.isEmpty || bytes == Array("{}".utf8) { continue }
        return PartnerCache(place, parsed(bytes, at: "The file \(path)"), plainFile: path, bytes: bytes)
      } catch {
        return PartnerCache(place, .unreadable(error))
      }
    }
    return PartnerCache(place, .absent)
  }

  private static func parsed(_ bytes: [UInt8], at place: String) -> State {
    do throws(SecretStoreError) {
      return .read(try PartnerContent(parsing: bytes))
    } catch {
      return .unreadable(SecretStoreError(error.code, "\(place) can't be read. \(error.detail)"))
    }
  }
}
