// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Keychain sharing group")
struct KeychainSharingGroupTests {
  private func app(_ groups: String...) throws -> AppEntitlements {
    try AppEntitlements(app: "com.contoso.mail", publisher: "contoso", groups: groups)
  }

  @Test("The chosen group precedes com.microsoft.adalcache, which precedes the first listed group")
  func order() throws {
    let app = try app("com.contoso.shared", "com.contoso.archive", "com.microsoft.adalcache")
    #expect(app.keychainSharingGroup.name == "com.microsoft.adalcache")
    let chosen = try app.choosing(keychainSharingGroup: "com.contoso.archive")
    #expect(chosen.keychainSharingGroup.name == "com.contoso.archive")
    let again = try chosen.choosing(keychainSharingGroup: "com.contoso.shared")
    #expect(again.keychainSharingGroup.name == "com.contoso.shared")
  }

  @Test("A chosen sharing group does not change the entitlements")
  func nothingElse() throws {
    let app = try app("com.contoso.shared", "com.contoso.archive")
    let chosen = try app.choosing(keychainSharingGroup: "com.contoso.archive")
    #expect(chosen.app == app.app && chosen.publisher == app.publisher && chosen.groups == app.groups)
    #expect(chosen.defaultGroup == app.defaultGroup)
    #expect(chosen.searchedGroups == app.searchedGroups)
    #expect(app.keychainSharingGroup.name == "com.contoso.shared", "the original remains unchanged")
  }

  @Test("A sharing group must be well-formed and listed")
  func refused() throws {
    let app = try app("com.contoso.shared")
    #expect(throws: SecretStoreError(.notEntitled, "")) {
      try app.choosing(keychainSharingGroup: "com.fabrikam.shared")
    }
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try app.choosing(keychainSharingGroup: "com.contoso.*")
    }
  }

  @Test("The app's own ID, or its own group's name, turns sharing off")
  func off() throws {
    let app = try app("com.contoso.shared", "com.microsoft.adalcache")
    #expect(app.withoutSharing.keychainSharingGroup == app.ownGroup)
    #expect(try app.choosing(keychainSharingGroup: "com.contoso.mail") == app.withoutSharing)
  }

  @Test("A save without a group goes to the first listed group, else to the app's own")
  func defaultGroup() throws {
    #expect(try app("b", "a", "com.microsoft.adalcache").defaultGroup.name == "b")
    #expect(try app().defaultGroup == app().ownGroup)
  }

  @Test("A search without a group covers all of the app's groups, its own last")
  func searchedGroups() throws {
    #expect(try app("b", "a").searchedGroups.map(\.name) == ["b", "a", "com.contoso.mail"])
    #expect(try app().searchedGroups.map(\.name) == ["com.contoso.mail"])
    let listsItself = try app("com.contoso.mail", "a")
    #expect(listsItself.searchedGroups.map(\.name) == ["com.contoso.mail", "a"])
    #expect(try app("b").searchedGroups.allSatisfy { $0.publisher?.name == "contoso" })
  }

  @Test("An app may list a thousand groups; ten thousand are refused")
  func manyGroups() throws {
    let names = (0..<10_000).map { "com.contoso.g\($0)" }
    let most = try AppEntitlements(app: "com.contoso.mail", groups: Array(names.prefix(1_000)))
    #expect(most.groups.count == AppEntitlements.maximumGroups)
    for count in [1_001, 10_000] {
      let error = #expect(throws: SecretStoreError.self) {
        try AppEntitlements(app: "com.contoso.mail", groups: Array(names.prefix(count)))
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.detail.contains("\(count)") == true)
    }
  }

  @Test("notEntitled names the first twenty groups and counts the others")
  func longList() throws {
    let app = try AppEntitlements(app: "com.contoso.mail", groups: (1...23).map { "g\($0)" })
    let error = try #require(throws: SecretStoreError.self) { try app.group("other") }
    #expect(error.detail.contains("g20 and 3 more."))
    #expect(!error.detail.contains("g21"))
    let twenty = try AppEntitlements(app: "com.contoso.mail", groups: (1...20).map { "g\($0)" })
    let short = try #require(throws: SecretStoreError.self) { try twenty.group("other") }
    #expect(!short.detail.contains("more"))
  }
}
