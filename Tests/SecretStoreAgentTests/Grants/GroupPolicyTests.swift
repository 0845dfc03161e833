// SPDX-License-Identifier: MIT

import SecretStoreAgent
import SecretStoreCache
import Testing

@Suite("Which groups a caller may use")
struct GroupPolicyTests {
  private let folder: TemporaryFolder
  private let store: GrantStore
  private let policy: GroupPolicy

  init() throws {
    folder = try TemporaryFolder()
    store = GrantStore(
      environment: ["XDG_CONFIG_HOME": folder.path], administratorFolder: "\(folder.path)/none")
    policy = GroupPolicy(grants: store)
  }

  /// Returns whether a Flatpak that states a group may use it.
  private func allows(
    _ app: String, _ group: String, _ publisher: String?,
    stated: (groups: [String], publisher: String?)? = nil
  ) throws -> Bool {
    let stated = stated ?? ([group], publisher)
    let caller = Caller.flatpak(try AppIdentifier(app), groups: stated.groups, publisher: stated.publisher)
    do throws(SecretStoreError) {
      let granted = try policy.group(named: group, publisher: publisher, for: caller)
      #expect(granted.name == group && granted.publisher?.name == publisher)
      return true
    } catch {
      #expect(error.code == .notEntitled)
      return false
    }
  }

  @Test(
    "A publisher must be a prefix of the app's ID in whole labels, with two of them at least",
    arguments: [
      ("com.contoso.Mail", "com.contoso", true), ("com.contoso.Mail", "com.contoso.Mail", true),
      ("com.contoso.suite.Mail", "com.contoso.suite", true), ("com.contoso.suite.Mail", "com.contoso", true),
      ("com.contoso.Mail", "com", false), ("com.contoso.Mail", "com.con", false),
      ("com.contoso.Mail", "com.contoso.", false), ("com.contoso.Mail", "com.contoso.Ma", false),
      ("com.contoso.Mail", "com.contoso.Mail.x", false), ("com.contoso.Mail", "com.Contoso", false),
      ("com.contoso.Mail", "contoso", false), ("com.contoso.Mail", "com..contoso", false),
      ("com.contosoevil.Mail", "com.contoso", false), ("com.fabrikam.App", "com.contoso", false),
      ("org.gnome.Mail", "org.gnome", true), ("org.kde.kmail", "org.kde", true),
      // Below these everybody gets a name.
      ("io.github.alice.App", "io.github", false), ("io.github.alice.App", "io.github.alice", true),
      ("io.github.alice.App", "io.github.bob", false), ("com.github.alice.App", "com.github", false),
      ("page.codeberg.alice.App", "page.codeberg", false), ("io.gitlab.alice.App", "io.gitlab", false),
      ("uk.co.contoso.Mail", "uk.co", false), ("uk.co.contoso.Mail", "uk.co.contoso", true),
      ("br.com.contoso.Mail", "br.com", false), ("de.contoso.Mail", "de.contoso", true),
      ("io.github.App", "io.github", false), ("io.github.App", "io.github.App", true),
    ])
  func publishers(app: String, publisher: String, isOwner: Bool) throws {
    #expect(try allows(app, "any.group", publisher) == isOwner)
  }

  @Test(
    "The name of a group without publisher must begin with such a prefix",
    arguments: [
      ("com.contoso.Mail", "com.contoso.shared", true), ("com.contoso.Mail", "com.contoso", true),
      ("com.contoso.Mail", "com.contoso.Mail.archive", true), ("com.contoso.Mail", "com.contosoevil", false),
      ("com.contoso.Mail", "com.contosoevil.shared", false), ("com.contoso.Mail", "com", false),
      ("com.contoso.Mail", "com.microsoft.adalcache", false), ("com.contoso.Mail", "contoso", false),
      ("com.contoso.Mail", "com.Contoso.shared", false), ("com.contoso.Mail", "com.fabrikam.App", false),
      ("io.github.alice.App", "io.github.bob.shared", false), ("io.github.alice.App", "io.github", false),
      ("io.github.alice.App", "io.github.alice.shared", true), ("uk.co.contoso.Mail", "uk.co.x", false),
    ])
  func names(app: String, group: String, isOwner: Bool) throws {
    #expect(try allows(app, group, nil) == isOwner)
  }

  @Test("A group that the metadata do not state, or of another publisher than they state, is refused")
  func notStated() throws {
    let stated = (groups: ["com.contoso.shared"], publisher: String?.some("com.contoso"))
    #expect(try allows("com.contoso.Mail", "com.contoso.shared", "com.contoso", stated: stated))
    for (group, publisher) in [
      ("com.contoso.other", "com.contoso"), ("com.contoso.shared", nil),
      ("com.contoso.shared", "com.contoso.Mail"),
      ("com.contoso.Shared", "com.contoso"), ("com.contoso.shared", "com.fabrikam"),
      ("com.contoso.Mail", "com.fabrikam"),
    ] {
      #expect(
        try !allows("com.contoso.Mail", group, publisher, stated: stated), "\(group) \(publisher ?? "")")
    }
  }

  @Test("An app has its own group, without a publisher or of its verified one")
  func ownGroup() throws {
    #expect(try allows("com.contoso.Mail", "com.contoso.Mail", nil, stated: ([], nil)))
    #expect(try allows("com.contoso.Mail", "com.contoso.Mail", nil, stated: ([], "com.contoso")))
    #expect(try allows("com.contoso.Mail", "com.contoso.Mail", "com.contoso", stated: ([], "com.contoso")))
    #expect(try !allows("com.contoso.Mail", "com.contoso.Mail", "com.contoso", stated: ([], nil)))
    #expect(try !allows("com.contoso.Mail", "com.contoso.Mail", "com.fabrikam", stated: ([], "com.fabrikam")))
    let snap = Caller.snap(try AppIdentifier("contoso-mail"))
    #expect(try policy.group(named: "contoso-mail", publisher: nil, for: snap).name == "contoso-mail")
    for (group, publisher) in [("contoso-mail", "contoso"), ("com.contoso.shared", nil), ("contoso", nil)] {
      #expect(throws: SecretStoreError(.notEntitled, "")) {
        try policy.group(named: group, publisher: publisher, for: snap)
      }
    }
  }

  @Test("A host program gets what it asks for")
  func host() throws {
    for (group, publisher) in [("com.contoso.shared", "com.contoso"), ("com.microsoft.adalcache", nil)] {
      let granted = try policy.group(named: group, publisher: publisher, for: .host)
      #expect(granted.name == group && granted.publisher?.name == publisher)
    }
  }

  @Test(
    "A malformed name is refused for every caller",
    arguments: [
      ("", nil), ("a/b", nil), ("..", nil), ("a\u{0}b", nil), ("a;b", nil), ("\u{e4}", nil),
      (String(repeating: "a", count: 201), nil), ("a", ""), ("a", ".a"), ("a", "a/b"), ("a", "a\nb"),
    ] as [(String, String?)])
  func malformed(group: String, publisher: String?) throws {
    let callers: [Caller] = [
      .host, .snap(try AppIdentifier("a")), .flatpak(try AppIdentifier("com.contoso.Mail")),
    ]
    for caller in callers {
      #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try policy.group(named: group, publisher: publisher, for: caller)
      }
    }
  }

  @Test("A grant allows exactly its group, for exactly its app, until it is revoked")
  func grants() async throws {
    let app = try AppIdentifier("com.fabrikam.App")
    let group = try AccessGroup("com.contoso.shared", publisher: Publisher("com.contoso"))
    func mayUse(_ app: String, _ publisher: String?) throws -> Bool {
      try allows(app, "com.contoso.shared", publisher, stated: ([], nil))
    }
    #expect(try !mayUse("com.fabrikam.App", "com.contoso"))
    #expect(try await store.grant(group, to: app))
    #expect(try mayUse("com.fabrikam.App", "com.contoso"))
    #expect(try !mayUse("com.fabrikam.App", nil) && !mayUse("com.fabrikam.app", "com.contoso"))
    #expect(try !mayUse("com.fabrikam.App.More", "com.contoso"))
    let snap = try AppIdentifier("fabrikam")
    #expect(try await store.grant(group, to: snap))
    #expect(try policy.group(named: group.name, publisher: "com.contoso", for: .snap(snap)) == group)
    #expect(try await store.revoke(group, from: app) == [group])
    #expect(try !mayUse("com.fabrikam.App", "com.contoso"))
  }

  @Test("The refusal names the app, the group and the publisher, and says what allows it")
  func refusals() throws {
    func refusal(_ group: String, _ publisher: String?, _ caller: Caller) throws -> String {
      let error = #expect(throws: SecretStoreError.self) {
        try policy.group(named: group, publisher: publisher, for: caller)
      }
      return try #require(error).detail
    }
    let mail = try AppIdentifier("com.contoso.Mail")
    #expect(
      try refusal("com.contoso.shared", "com.contoso", .flatpak(mail))
        == "com.contoso.Mail may not use the access group com.contoso.shared of the publisher com.contoso. Its"
        + " manifest for flatpak-builder adds the group in finish-args:"
        + " --add-policy=SecretStoreCache.groups=com.contoso.shared --add-policy=SecretStoreCache.publisher=com.contoso"
    )
    let stating = Caller.flatpak(mail, groups: ["com.contoso.other"], publisher: "com.contoso")
    #expect(
      try refusal("com.contoso.shared", "com.contoso", stating)
        .hasSuffix(" in finish-args: --add-policy=SecretStoreCache.groups=com.contoso.shared"))
    let command = " The user allows it with: sso-cache grant com.contoso.Mail"
    for caller in [.flatpak(mail), stating] {
      #expect(
        try refusal("com.microsoft.adalcache", nil, caller)
          == "com.contoso.Mail may not use the access group com.microsoft.adalcache, which has no publisher."
          + "\(command) com.microsoft.adalcache")
      #expect(
        try refusal("com.fabrikam.shared", "fabrikam", caller)
          .hasSuffix("\(command) com.fabrikam.shared --publisher fabrikam"))
    }
    #expect(
      try refusal("x", "contoso", .flatpak(mail, groups: ["x"], publisher: "contoso"))
        == "com.contoso.Mail may not use the access group x of the publisher contoso. Its metadata state it, but its"
        + " app ID doesn't begin with the name of the group's owner.\(command) x --publisher contoso")
    // A policy would take the stated groups to another publisher.
    #expect(try refusal("com.contoso.x", nil, stating).hasSuffix("\(command) com.contoso.x"))
    #expect(try refusal("x", nil, .snap(AppIdentifier("mail"))).hasSuffix("sso-cache grant mail x"))
  }
}
