// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// ADAL's items in a group: read by client, written one by one.
struct ADALStore: Sendable {
  /// An item as it is stored.
  struct Stored: Sendable {
    let key: RecordKey
    let token: ADALToken
    let sharing: SharingState
  }

  let backend: any TokenCacheBackend

  /// The items of a client, and of families when some are given; those that can't be read are passed over.
  func items(ofClient clientID: String, families: Set<String> = []) async throws -> [Stored] {
    let familys = families.sorted().map { RecordQuery.legacy(ofClient: ADALToken.familyPrefix + $0) }
    return Self.items(
      in: try await backend.records(matchingAny: [.legacy(ofClient: clientID)] + familys))
  }

  /// The items of a client and of its family: of the one that its own items name, and of `1`.
  func itemsWithFamily(ofClient clientID: String) async throws -> [Stored] {
    let items = try await items(ofClient: clientID, families: ["1"])
    let others = Set(items.compactMap(\.token.familyID)).subtracting(["1"])
    if others.isEmpty { return items }
    return try await self.items(ofClient: clientID, families: others.union(["1"]))
  }

  /// Every item of the group.
  func items() async throws -> [Stored] { Self.items(in: try await backend.records(matching: .all(.legacy))) }

  static func items(in records: [Record]) -> [Stored] {
    records.compactMap { record in
      guard let document = try? record.document(), let token = document.adalToken else { return nil }
      return Stored(key: record.key, token: token, sharing: document.sharing)
    }
  }

  /// Stores items in the place of those of the same authority, resource, client and user.
  ///
  /// - Parameters:
  ///   - app: Whom they are for, which counts as signed in then; `nil` for nobody in particular.
  ///   - redeemed: The item of the refresh token that they were had by; `nil` for a sign-in. What says that the app
  ///     has signed out of the user stays, and so does a place that was emptied since.
  func save(_ tokens: [ADALToken], for app: AppIdentifier?, redeemed: Stored? = nil) async throws {
    for token in tokens {
      let key = RecordKey.legacy(token)
      try await backend.update(key) { stored in
        var document = stored ?? CacheDocument()
        if let redeemed, redeemed.key == key, document.sharing.epoch != redeemed.sharing.epoch { return }
        document.adalToken = token
        if redeemed == nil || document.sharing[app] != .signedOut { document.sharing[app] = .signedIn }
        stored = document
      }
    }
  }

  /// Buries the item of a refresh token that the server refused, unless another one is there by now.
  func reject(_ secret: String, in key: RecordKey) async throws {
    try await backend.update(key) { stored in
      if stored?.adalToken?.refreshToken == secret { stored?.buryADALToken() }
    }
  }

  /// Signs an app out of the items that are a user's; the person at the keyboard, `nil`, signs all apps out.
  ///
  /// They are looked for twice, for what a refresh stored that had begun before.
  func signOut(
    _ app: AppIdentifier?, where isUsers: (Stored) -> Bool, among find: () async throws -> [Stored]
  ) async throws {
    var done: Set<RecordKey> = []
    for _ in 0..<2 {
      for item in try await find() where isUsers(item) {
        let isLeft = app == nil ? item.token.kind == nil : item.sharing[app] == .signedOut
        if isLeft && done.contains(item.key) { continue }
        try await backend.update(item.key) { $0?.signOutOfADAL(app) }
        done.insert(item.key)
      }
    }
  }
}
