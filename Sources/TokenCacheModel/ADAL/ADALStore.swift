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

  /// The items of a client, and of a family when one is given; those that can't be read are passed over.
  func items(ofClient clientID: String, family: String? = nil) async throws -> [Stored] {
    let families = family.map { [RecordQuery.legacy(ofClient: ADALToken.familyPrefix + $0)] } ?? []
    return Self.items(
      in: try await backend.records(matchingAny: [.legacy(ofClient: clientID)] + families))
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
  func save(_ tokens: [ADALToken], for app: AppIdentifier?) async throws {
    for token in tokens {
      try await backend.update(.legacy(token)) { stored in
        var document = stored ?? CacheDocument()
        document.adalToken = token
        document.sharing[app] = .signedIn
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

  /// Signs an app out of items; the person at the keyboard, `nil`, signs all apps out.
  func signOut(_ app: AppIdentifier?, of items: [Stored]) async throws {
    for item in items {
      try await backend.update(item.key) { $0?.signOutOfADAL(app) }
    }
  }
}
