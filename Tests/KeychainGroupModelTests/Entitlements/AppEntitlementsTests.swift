// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("App entitlements")
struct AppEntitlementsTests {
  private let mail = "com.contoso.mail"

  @Test(
    "The default group is com.microsoft.adalcache if listed, else the first listed, else the own group",
    arguments: [
      ([], "com.contoso.mail"),
      (["com.contoso.shared"], "com.contoso.shared"),
      (["com.contoso.shared", "com.contoso.other"], "com.contoso.shared"),
      (["com.contoso.other", "com.contoso.shared"], "com.contoso.other"),
      (["com.microsoft.adalcache"], "com.microsoft.adalcache"),
      (["com.contoso.shared", "com.microsoft.adalcache"], "com.microsoft.adalcache"),
      (["com.contoso.shared", "com.microsoft.ADALCACHE"], "com.contoso.shared"),
      (["com.contoso.mail", "com.contoso.shared"], "com.contoso.mail"),
    ] as [([String], String)])
  func sharingGroup(groups: [String], expected: String) throws {
    for publisher in [nil, "contoso"] {
      let app = try AppEntitlements(app: mail, publisher: publisher, groups: groups)
      #expect(app.keychainSharingGroup.name == expected)
      #expect(app.keychainSharingGroup.publisher?.name == publisher)
    }
  }

  @Test("Listed groups keep their order without duplicates")
  func order() throws {
    let app = try AppEntitlements(app: mail, groups: ["b", "a", "b", "c", "a"])
    #expect(app.groups.map(\.name) == ["b", "a", "c"])
  }

  @Test("All groups belong to the app's publisher")
  func publisher() throws {
    let app = try AppEntitlements(app: mail, publisher: "contoso", groups: ["com.contoso.shared"])
    #expect(try app.groups == [AccessGroup("com.contoso.shared", publisher: Publisher("contoso"))])
    #expect(try app.ownGroup == AccessGroup(mail, publisher: Publisher("contoso")))
  }

  @Test("An app may use the groups it lists and its own group, which it need not list")
  func allowed() throws {
    let app = try AppEntitlements(app: mail, publisher: "contoso", groups: ["com.contoso.shared"])
    for name in ["com.contoso.shared", mail] {
      let group = try app.group(name)
      #expect(try group == AccessGroup(name, publisher: Publisher("contoso")))
      #expect(throws: Never.self) { try app.require(group) }
    }
  }

  @Test(
    "A group that the app does not list is refused",
    arguments: [
      "com.fabrikam.shared", "com.microsoft.adalcache", "com.contoso.Shared", "com.contoso.share",
      "com.contoso.shared.more", "fabrikam.com.contoso.shared", "contoso.com.contoso.other",
    ])
  func refused(_ name: String) throws {
    let app = try AppEntitlements(app: mail, publisher: "contoso", groups: ["com.contoso.shared"])
    #expect(throws: SecretStoreError(.notEntitled, "")) { try app.group(name) }
  }

  @Test("A name with the publisher before it, as in an entitlements file, is the same group")
  func qualifiedName() throws {
    let app = try AppEntitlements(
      app: mail, publisher: "contoso", groups: ["com.contoso.shared", "contoso.twice", "twice"])
    #expect(try app.group("contoso.com.contoso.shared") == app.group("com.contoso.shared"))
    #expect(try app.group("contoso.\(mail)") == app.ownGroup)
    #expect(try app.group("contoso.twice").name == "contoso.twice")
    let none = try AppEntitlements(app: mail, groups: ["com.contoso.shared"])
    #expect(throws: SecretStoreError(.notEntitled, "")) { try none.group("contoso.com.contoso.shared") }
  }

  @Test("A group name with another publisher's prefix, or with an unknown prefix, is refused")
  func otherPublisher() throws {
    let app = try AppEntitlements(app: mail, publisher: "contoso", groups: ["com.contoso.shared"])
    for group in [
      try AccessGroup("com.contoso.shared", publisher: Publisher("fabrikam")),
      try AccessGroup("com.contoso.shared"),
    ] {
      let error = try #require(throws: SecretStoreError.self) { try app.require(group) }
      #expect(error.code == .notEntitled)
      #expect(error.detail.contains("of the publisher \(group.publisher?.name ?? "none")"))
    }
  }

  @Test("notEntitled names the app, the group and the groups that the app has")
  func words() throws {
    let app = try AppEntitlements(
      app: mail, publisher: "contoso", groups: ["com.contoso.a", "com.contoso.b"])
    let error = try #require(throws: SecretStoreError.self) { try app.group("com.fabrikam.shared") }
    for word in [
      mail, "group com.fabrikam.shared in", "com.contoso.a, com.contoso.b", "keychain-access-groups",
    ] {
      #expect(error.detail.contains(word))
    }
  }

  @Test("notEntitled states that the app has no shared group")
  func wordsForNone() throws {
    let app = try AppEntitlements(app: mail)
    let error = try #require(throws: SecretStoreError.self) { try app.group("com.contoso.shared") }
    #expect(error.code == .notEntitled)
    #expect(error.detail.contains("no group"))
  }

  @Test("A malformed name throws invalidArgument, whatever parameter holds it", arguments: BadName.all)
  func malformed(_ bad: BadName) throws {
    let mail = mail
    try bad.expectRefusal(as: "app identifier") { name throws in _ = try AppEntitlements(app: name) }
    try bad.expectRefusal(as: "publisher's name") { name throws in
      _ = try AppEntitlements(app: mail, publisher: name)
    }
    try bad.expectRefusal(as: "access group's name") { name throws in
      _ = try AppEntitlements(app: mail, groups: ["com.contoso.shared", name])
    }
    let app = try AppEntitlements(app: mail)
    try bad.expectRefusal(as: "access group's name") { name throws in _ = try app.group(name) }
  }
}
