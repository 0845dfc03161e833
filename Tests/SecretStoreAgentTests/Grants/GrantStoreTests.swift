// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreAgent
import SecretStoreCache
import Testing

@Suite("The store of grants")
struct GrantStoreTests {
  private let folder: TemporaryFolder
  private let store: GrantStore
  private static let file = "secretstorecache/grants"

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("secretstorecache", mode: 0o700)
    store = Self.store(in: folder)
  }

  /// A store whose administrator is this user.
  private static func store(in folder: TemporaryFolder) -> GrantStore {
    GrantStore(
      environment: ["XDG_CONFIG_HOME": folder.path], administratorFolder: "\(folder.path)/grants.d",
      administrator: geteuid())
  }

  private let app: AppIdentifier = {
    guard let app = try? AppIdentifier("com.fabrikam.App") else { fatalError("a valid ID") }
    return app
  }()

  private func group(_ name: String, _ publisher: String? = nil) throws -> AccessGroup {
    try AccessGroup(name, publisher: publisher.map { name throws in try Publisher(name) })
  }

  private func listed() -> [String] { store.grants().map { "\($0.app) \($0.group.qualifiedName)" } }

  @Test("A grant is in a file that only the user can read, in a folder that only the user can open")
  func modes() async throws {
    let new = try TemporaryFolder()
    #expect(try await Self.store(in: new).grant(group("com.contoso.shared", "contoso"), to: app))
    #expect(try new.text(Self.file) == "[com.fabrikam.App]\ngroups=contoso/com.contoso.shared;\n")
    for (name, mode) in [(Self.file, 0o100600), ("secretstorecache", 0o040700)] {
      let info = try #require(FileReader().information("\(new.path)/\(name)", followsLink: false))
      #expect(Int(info.st_mode) == mode)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(new.path)/secretstorecache").sorted()
        == ["grants", "grants.lock"])
  }

  @Test("Grants are added and removed one by one and for an app, and the last one leaves nothing")
  func changes() async throws {
    let (one, other) = (try group("a", "contoso"), try group("b"))
    let second = try AppIdentifier("com.tailspin.App")
    #expect(try await store.grant(one, to: app))
    #expect(try await store.grant(other, to: app))
    #expect(try await store.grant(one, to: second))
    #expect(try await !store.grant(one, to: app))
    #expect(listed() == ["com.fabrikam.App contoso.a", "com.fabrikam.App b", "com.tailspin.App contoso.a"])
    #expect(try store.allows(one, for: app) && !store.allows(group("a"), for: app))
    #expect(try await store.revoke(one, from: app) == [one])
    #expect(try await store.revoke(one, from: app) == [])
    #expect(listed() == ["com.fabrikam.App b", "com.tailspin.App contoso.a"])
    #expect(try await store.revoke(nil, from: second) == [one])
    #expect(try await store.revoke(nil, from: app) == [other])
    #expect(try folder.text(Self.file) == "\n")
    #expect(store.grants().isEmpty && store.problems().isEmpty)
  }

  @Test("A change keeps the user's comments, blank lines and lines that are not understood")
  func kept() async throws {
    let text = "# mine\n\n[com.fabrikam.App]\n groups = a ; x/y/z\r\nother=1\n\n[bad app]\ngroups=a\n"
    try folder.write(Self.file, text)
    #expect(listed() == ["com.fabrikam.App a"])
    #expect(store.problems().map(\.line) == [4, 5, 7])
    #expect(try await store.grant(group("b"), to: app))
    #expect(
      try folder.text(Self.file) == text.replacing(" groups = a ; x/y/z\r\n", with: "groups = a ; x/y/z;b;\n")
    )
    #expect(try await store.revoke(nil, from: app).count == 2)
    #expect(try folder.text(Self.file) == text.replacing(" groups = a ; x/y/z\r\n", with: "groups=x/y/z;\n"))
  }

  @Test("Repeated sections and keys add up, and a removal removes all of them")
  func repeated() async throws {
    try folder.write(
      Self.file, "[com.fabrikam.App]\ngroups=a;\ngroups=b;a;\n[com.x.Y]\n[com.fabrikam.App]\ngroups=a;c\n")
    #expect(listed() == ["a", "b", "c"].map { "com.fabrikam.App \($0)" })
    #expect(try await store.revoke(group("a"), from: app).count == 1)
    #expect(listed() == ["b", "c"].map { "com.fabrikam.App \($0)" })
    #expect(try await store.grant(group("d"), to: AppIdentifier("com.x.Y")))
    #expect(
      try folder.text(Self.file)
        == "[com.fabrikam.App]\ngroups=b;\n[com.x.Y]\ngroups=d;\n[com.fabrikam.App]\n"
        + "groups=c;\n")
  }

  @Test(
    "What follows a removed line stays the same app's",
    arguments: ["", "# mine\n", "\n# mine\n", "\n", "other=1\n\n"])
  func followed(between: String) async throws {
    let evil = "[com.evil.App]\ngroups=x;\n"
    try folder.write(Self.file, "\(evil)[com.fabrikam.App]\ngroups=a;\n\(between)groups=b;\n")
    #expect(try await store.revoke(group("a"), from: app).count == 1)
    #expect(listed() == ["com.evil.App x", "com.fabrikam.App b"])
    #expect(try await store.revoke(group("b"), from: app).count == 1)
    #expect(listed() == ["com.evil.App x"])
  }

  @Test(
    "A bad line grants nothing, is reported with its number, and leaves the others alone",
    arguments: [
      "[]", "[com.x", "[com x]", "[.com.x]", "[com.x\u{1B}[31m]", "[\(String(repeating: "a", count: 201))]",
      "nonsense", "=", "Groups=a", "groups[de]=a", "groups", "group=a", "groups=a b", "groups=/a",
      "groups=a/",
      "groups=a/b/c", "groups=..", "groups=\u{e4}", "groups=a\u{1}", "groups=a\\s", "groups=a,b c",
      "\u{FEFF}[com.x]",
      "groups=$(AppIdentifierPrefix)a", "groups=\(String(repeating: "a", count: 201))", "groups=*",
      "\u{2028}",
      "[com.fabrikam.App]groups=z", "groups=contoso/",
    ])
  func badLines(line: String) throws {
    try folder.write(Self.file, "[com.fabrikam.App]\ngroups=a;\n\(line)\n[com.tailspin.App]\ngroups=b;\n")
    #expect(listed() == ["com.fabrikam.App a", "com.tailspin.App b"])
    let problem = try #require(store.problems().first)
    #expect(problem.line == 3 && problem.path == "\(folder.path)/\(Self.file)")
    #expect(!problem.explanation.hasUnsafeCharacter && store.problems().count == 1)
  }

  @Test("A key before the first section belongs to no app")
  func noSection() throws {
    try folder.write(Self.file, "groups=a;\n[com.fabrikam.App]\ngroups=b;\n")
    #expect(listed() == ["com.fabrikam.App b"] && store.problems().map(\.line) == [1])
  }

  @Test("A grant of the administrator is listed and can't be revoked by the user")
  func administrators() async throws {
    try folder.makeFolder("grants.d", mode: 0o755)
    try folder.write("grants.d/a.grants", "[com.fabrikam.App]\ngroups=com.contoso.shared;\n", mode: 0o644)
    let grant = try #require(store.grants().first)
    #expect(grant.source == .administrator)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) { try await InstalledApps().revoke(grant) }
    #expect(store.grants() == [grant])
  }

  @Test("The files of somebody else are not the administrator's")
  func otherAdministrator() throws {
    try folder.write("grants.d/b.grants", "[com.fabrikam.App]\ngroups=b;\n")
    let store = GrantStore(
      environment: [:], administratorFolder: "\(folder.path)/grants.d", administrator: geteuid() + 1)
    #expect(store.grants().isEmpty && store.problems().count == 1 && store.userFile == nil)
  }

  @Test("An app has 100 groups at most, and a file 1,000 apps; more grant nothing")
  func limits() async throws {
    let groups = (0..<100).map { "g\($0);" }.joined()
    let apps = (0..<998).map { "[com.x.A\($0)]\n" }.joined()
    try folder.write(
      Self.file, "[com.fabrikam.App]\ngroups=\(groups)\n[com.full.App]\ngroups=\(groups)x;\n\(apps)")
    #expect(store.grants().count == 100 && store.problems().map(\.line) == [3])
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await store.grant(group("x"), to: app)
    }
    let new = try AppIdentifier("com.one.More")
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await store.grant(group("x"), to: new)
    }
    #expect(try await store.revoke(group("g0"), from: AppIdentifier("com.full.App")).count == 1)
    #expect(store.grants().count == 200 && store.problems().isEmpty)
    try folder.write(Self.file, try folder.text(Self.file) + "[com.one.More]\ngroups=x;\n")
    #expect(store.grants().isEmpty && store.problems().map(\.line) == [1])
  }

  @Test("A large file of garbage is reported in part")
  func manyProblems() throws {
    try folder.write(Self.file, String(repeating: "x\n", count: 50_000))
    #expect(store.problems().count == 100)
  }

  @Test("Grants that are made at once are all kept")
  func atOnce() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      for number in 0..<12 {
        tasks.addTask {
          // Other tests may keep all threads busy for longer than a lock is waited for.
          try await Deadline.run(within: .seconds(120)) {
            try await store.grant(group("g\(number % 6)"), to: AppIdentifier("com.x.A\(number)"))
          }
        }
      }
      for try await isNew in tasks { #expect(isNew) }
    }
    #expect(store.grants().count == 12)
  }

  @Test("What a writer that died left is removed, a link there is not followed, and a person's file stays")
  func leftover() async throws {
    let other = try folder.write("other", "kept")
    try folder.link("secretstorecache/grants.sso-cache-\(String(repeating: "a1b2", count: 8))", to: other)
    try folder.write("secretstorecache/grants.sso-cache", "my backup")
    #expect(try await store.grant(group("a"), to: app))
    #expect(try folder.text("other") == "kept" && listed() == ["com.fabrikam.App a"])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/secretstorecache")
    #expect(names.sorted() == ["grants", "grants.lock", "grants.sso-cache"])
  }

  @Test("XDG_CONFIG_HOME counts when it is absolute, else .config in the home")
  func place() {
    func file(_ environment: [String: String]) -> String? { GrantStore(environment: environment).userFile }
    #expect(file(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/secretstorecache/grants")
    #expect(file(["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/secretstorecache/grants")
    #expect(file(["HOME": "/h"]) == "/h/.config/secretstorecache/grants")
    #expect(file(["HOME": "h"]) == nil && file([:]) == nil)
  }
}
