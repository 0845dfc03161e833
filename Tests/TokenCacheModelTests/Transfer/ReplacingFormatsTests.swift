// SPDX-License-Identifier: MIT

import Testing

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Replacing by files of two formats in turn")
struct ReplacingFormatsTests {
  enum File: String, CaseIterable, Sendable {
    case anna, annaElsewhere, annasFamily, boris, unknownKinds, annaInADAL, annaByNameInADAL,
      annaElsewhereInADAL
    case borisInADAL

    var isADAL: Bool { rawValue.hasSuffix("InADAL") }

    private var cache: JSONObject {
      switch self {
      case .annaElsewhere: cacheFile(client: SharedGroup.office)
      case .annasFamily: cacheFile(family: "1")
      case .boris: cacheFile(of: .boris)
      case .unknownKinds:
        cacheFile().changed(by: [
          "Device": ["a": ["home_account_id": .string(TestUser.anna.identifier), "secret": "s"]]
        ])
      default: cacheFile()
      }
    }

    private var item: ADALToken {
      let user = self == .borisInADAL ? TestUser.boris : .anna
      return user.legacyRefreshToken(
        "rt-\(rawValue)", client: self == .annaElsewhereInADAL ? SharedGroup.office : SharedGroup.suite,
        knowsHome: self != .annaByNameInADAL)
    }

    func take(into group: SharedGroup, replaces: Bool) async throws -> ImportSummary {
      if isADAL { return try await group.importing(item, replacing: replaces) }
      return try await group.importing(cache) { $0.replaces = replaces }
    }
  }

  /// What a group holds, in both formats.
  private struct Content: Equatable {
    let accounts: Set<String>
    let secrets: Set<String>
    let items: Set<String>
    let members: Set<String>

    init(of group: SharedGroup) async throws {
      let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
      accounts = Set(try await directory.accounts().map { "\($0.username) \($0.clients)" })
      secrets = try await group.secrets()
      items = Set(try await group.legacyItems().filter { $0.kind != nil }.compactMap(\.refreshToken))
      let export = try await CacheTransfer(backend: group.backend).exportUnified()
      members = Set(try CacheDocument(parsing: export.json).root.keys)
    }
  }

  @Test(
    "A group equals the last file, and what it lacks is signed out", arguments: File.allCases, File.allCases)
  func inTurn(first: File, second: File) async throws {
    guard first.isADAL != second.isADAL else { return }
    let (group, alone) = (SharedGroup(), SharedGroup())
    _ = try await first.take(into: group, replaces: false)
    let replaced = try await second.take(into: group, replaces: true)
    #expect(replaced.removed > 0)
    _ = try await second.take(into: alone, replaces: true)
    let content = try await Content(of: alone)
    #expect(try await Content(of: group) == content)
    let again = try await second.take(into: group, replaces: true)
    #expect((again.added, again.updated, again.removed) == (0, 0, 0))
    // And back.
    _ = try await first.take(into: group, replaces: true)
    let back = SharedGroup()
    _ = try await first.take(into: back, replaces: true)
    #expect(try await Content(of: group) == Content(of: back))
  }
}
