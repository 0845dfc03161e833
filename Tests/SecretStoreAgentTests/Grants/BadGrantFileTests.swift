// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreAgent
import SecretStoreCache
import Testing

@Suite("Files of grants that are not trusted")
struct BadGrantFileTests {
  private let folder: TemporaryFolder
  private let store: GrantStore
  private let app: AppIdentifier
  private static let file = "secretstorecache/grants"

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("secretstorecache", mode: 0o700)
    store = GrantStore(
      environment: ["XDG_CONFIG_HOME": folder.path], administratorFolder: "\(folder.path)/grants.d",
      administrator: geteuid())
    app = try AppIdentifier("com.fabrikam.App")
  }

  private func listed() -> [String] { store.grants().map { "\($0.app) \($0.group)" } }

  enum BadFile: CaseIterable {
    case link, linkToNothing, pipe, folder, large, zeroByte, notUTF8, groupWritable, othersWritable, foreign
  }

  /// Makes a bad file; returns `false` when that is not possible for this user.
  private func make(_ kind: BadFile, at name: String) throws -> Bool {
    let text = "[com.fabrikam.App]\ngroups=a;\n"
    let path = "\(folder.path)/\(name)"
    switch kind {
    case .link: try folder.link(name, to: folder.write("elsewhere", text))
    case .linkToNothing: try folder.link(name, to: "missing")
    case .pipe: return unsafe mkfifo(path, 0o600) == 0
    case .folder: try folder.makeFolder(name)
    case .large: try folder.write(name, text.utf8 + Array(repeating: UInt8(ascii: "#"), count: 1 << 20))
    case .zeroByte: try folder.write(name, text + "\u{0}")
    case .notUTF8: try folder.write(name, text.utf8 + [0xFF])
    case .groupWritable: try folder.write(name, text.utf8, mode: 0o664)
    case .othersWritable: try folder.write(name, text.utf8, mode: 0o646)
    case .foreign:
      try folder.write(name, text)
      return unsafe chown(path, 4711, 4711) == 0
    }
    return true
  }

  @Test("A bad file of the user grants nothing, is reported, and is not changed", arguments: BadFile.allCases)
  func badUserFile(kind: BadFile) async throws {
    guard try make(kind, at: Self.file) else { return }
    try folder.makeFolder("grants.d")
    try folder.write("grants.d/good.grants", "[com.fabrikam.App]\ngroups=b;\n")
    #expect(listed() == ["com.fabrikam.App b"])
    let problem = try #require(store.problems().first)
    #expect(problem.line == nil && problem.path.hasSuffix(Self.file) && store.problems().count == 1)
    await #expect(throws: SecretStoreError(.invalidFile, "")) {
      try await store.grant(AccessGroup("c"), to: app)
    }
    await #expect(throws: SecretStoreError(.invalidFile, "")) { try await store.revoke(nil, from: app) }
    #expect(store.problems() == [problem])
  }

  @Test("A bad file of the administrator grants nothing, and the others count", arguments: BadFile.allCases)
  func badAdministratorsFile(kind: BadFile) async throws {
    try folder.makeFolder("grants.d")
    try folder.write("grants.d/good.grants", "[com.fabrikam.App]\ngroups=b;\n")
    for name in [".hidden.grants", "backup.grants~", "other"] {
      try folder.write("grants.d/\(name)", "[com.fabrikam.App]\ngroups=hidden;\n")
    }
    guard try make(kind, at: "grants.d/bad.grants") else { return }
    #expect(try await store.grant(AccessGroup("c"), to: app))
    #expect(listed() == ["com.fabrikam.App b", "com.fabrikam.App c"])
    #expect(store.grants().map(\.source) == [.administrator, .user])
    #expect(store.problems().map(\.path) == ["\(folder.path)/grants.d/bad.grants"])
  }

  @Test("A folder that others can write to, or a link to one, grants nothing")
  func badFolders() async throws {
    try folder.write(Self.file, "[com.fabrikam.App]\ngroups=a;\n")
    try folder.write("grants.d/b.grants", "[com.fabrikam.App]\ngroups=b;\n")
    for name in ["secretstorecache", "grants.d"] { try folder.setMode(0o777, of: name) }
    #expect(store.grants().isEmpty && store.problems().count == 2)
    await #expect(throws: SecretStoreError(.storageFailed, "")) {
      try await store.grant(AccessGroup("c"), to: app)
    }
    for name in ["secretstorecache", "grants.d"] {
      try folder.setMode(0o755, of: name)
      try FileManager.default.moveItem(
        atPath: "\(folder.path)/\(name)", toPath: "\(folder.path)/moved-\(name)")
      try folder.link(name, to: "moved-\(name)")
    }
    #expect(store.grants().isEmpty && store.problems().count == 2)
  }

  @Test(
    "A group that is granted counts, whatever the app's line holds, and the rest of the line stays",
    arguments: [
      "groups=groups=", "groups=a;x=", "groups=a;\u{301}", "groups=a;\u{301}b", "groups=\u{600}",
      "groups=\u{301}",
      "groups=a;\u{200D}", "groups=#", "groups=;;", "groups", " \u{FEFF}groups=a", "groups=a/b/c",
      "groups=[b]",
    ])
  func grantIntoAnyLine(line: String) async throws {
    try folder.write(Self.file, "[com.fabrikam.App]\n\(line)\n", mode: 0o600)
    let before = listed()
    #expect(try await store.grant(AccessGroup("new"), to: app))
    #expect(Set(listed()) == Set(before + ["com.fabrikam.App new"]))
    #expect(try await store.revoke(AccessGroup("new"), from: app) == [AccessGroup("new")])
    #expect(listed() == before)
  }

  @Test("An accent after a bracket does not carry a section into the next one")
  func accentAfterBracket() throws {
    try folder.write(Self.file, "[com.fabrikam.App]\n[\u{301}com.contoso.App]\ngroups=a;\n", mode: 0o600)
    #expect(listed().isEmpty && store.problems().map(\.line) == [2])
  }

  @Test("Whatever a file holds, a removal takes away what it names and gives nothing")
  func anyFile() async throws {
    let parts = [
      "[com.fabrikam.App]", "[com.x.Y]", "[bad app]", "[", "groups=", "groups", "a;", "b;", "contoso/a;",
      "a/b/c;", "=",
      ";", "#", " ", "\t", "\r", "\n", "\n", "\n", "\u{301}", "\u{FEFF}",
    ]
    // A generator with a fixed seed: a run is as the one before.
    var state: [UInt16] = [1, 2, 3]
    func random(_ bound: Int) -> Int { unsafe nrand48(&state) % bound }
    for _ in 0..<500 {
      let text = (0..<random(30)).map { _ in parts[random(parts.count)] }.joined()
      try folder.write(Self.file, text, mode: 0o600)
      let before = Set(store.grants())
      let group =
        random(2) == 0 ? nil : try AccessGroup("a", publisher: random(2) == 0 ? Publisher("contoso") : nil)
      let named = before.filter { $0.app == app && (group == nil || $0.group == group) }
      #expect(try await store.revoke(group, from: app) == Set(named.map(\.group)), "\(text.debugDescription)")
      #expect(Set(store.grants()) == before.subtracting(named), "\(text.debugDescription)")
      #expect(try await store.grant(AccessGroup("new"), to: app))
      #expect(store.grants().count == before.count - named.count + 1, "\(text.debugDescription)")
    }
  }
}
