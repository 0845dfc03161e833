// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Files of the peers")
struct PeerFilesTests {
  struct PeerFile: Sendable, CustomTestStringConvertible {
    let name: String
    let client: String
    let uid: String
    let utid: String
    /// The client's family.
    var family: String?
    var testDescription: String { name }
  }

  static let files = [
    PeerFile(name: "go.json", client: "my_client_id", uid: "uid", utid: "utid"),
    PeerFile(name: "node.json", client: "mock_client_id", uid: "uid", utid: "utid", family: "1"),
    PeerFile(
      name: "java-aad/full_cache.json", client: "b6c69a37-df96-4db0-9088-2ab96e1d8215",
      uid: "9f4880d8-80ba-4c40-97bc-f7a23c703084", utid: "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"),
  ]

  private let group = SharedGroup()

  private func importing(_ file: PeerFile) async throws -> JSONObject {
    _ = try await CacheTransfer(backend: group.backend).importUnified(try Fixtures.bytes(file.name))
    return try Fixtures.object(file.name)
  }

  private func exported() async throws -> JSONObject {
    let json = try await CacheTransfer(backend: group.backend).exportUnified().json
    return try #require(JSONValue(parsing: json).objectValue)
  }

  /// A new token for other scopes, as if the account's app had requested them.
  private func save(_ file: PeerFile) async throws {
    let person = TestUser(uid: file.uid, utid: file.utid, username: "")
    let response: JSONObject = [
      "token_type": "Bearer", "access_token": "at-new", "scope": "new.scope", "expires_in": 3600,
      "client_info": .string(person.clientInfo), "foci": file.family.map(JSONValue.string) ?? .null,
    ]
    try await group.app("mail", client: file.client).signIn(response, scopes: ["new.scope"])
  }

  /// The entries of the left section that no entry of the right one contains.
  ///
  /// Hosts of one cloud are equal.
  private func missing(_ left: JSONValue?, from right: JSONValue?) -> [JSONObject] {
    func entries(_ section: JSONValue?) -> [JSONObject] {
      (section?.objectValue?.map(\.value).compactMap(\.objectValue) ?? []).map { entry in
        guard let host = entry["environment"]?.stringValue else { return entry }
        return entry.changed(by: ["environment": .string(CloudEnvironment.canonical(host))])
      }
    }
    let others = entries(right)
    return entries(left).filter { entry in
      !others.contains { other in entry.allSatisfy { other[$0.key] == $0.value } }
    }
  }

  @Test("Every section, entry and member survives import, a change and export", arguments: files)
  func survives(_ file: PeerFile) async throws {
    let original = try await importing(file)
    try await save(file)
    let exported = try await exported()
    for (name, section) in original {
      #expect(missing(section, from: exported[name]).isEmpty, "section \(name)")
      if CacheSection(rawValue: name) == nil { #expect(exported[name] == section) }
    }
    let added = missing(exported["AccessToken"], from: original["AccessToken"])
    #expect(added.map { $0["secret"] } == ["at-new"])
    for name in ["RefreshToken", "IdToken"] {
      #expect(missing(exported[name], from: original[name]).isEmpty)
    }
  }

  @Test("Two imports and one export duplicate nothing", arguments: files)
  func twice(_ file: PeerFile) async throws {
    let original = try await importing(file)
    let summary = try await CacheTransfer(backend: group.backend).importUnified(
      JSONValue.object(try await exported()).serialized())
    #expect(summary.added == 0 && summary.updated == 0)
    let exported = try await exported()
    for section in CacheSection.allCases {
      #expect(
        exported[section.rawValue]?.objectValue?.count ?? 0
          == original[section.rawValue]?.objectValue?.count ?? 0)
    }
  }

  @Test("The files of all peers can be in one group")
  func together() async throws {
    for file in Self.files { _ = try await importing(file) }
    let exported = try await exported()
    for file in Self.files {
      for (name, section) in try Fixtures.object(file.name) {
        #expect(missing(section, from: exported[name]).isEmpty, "\(file.name), section \(name)")
      }
    }
  }
}
