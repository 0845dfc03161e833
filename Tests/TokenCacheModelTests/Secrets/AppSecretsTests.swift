// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("App secrets")
struct AppSecretsTests {
  /// A desktop with a back end for each group, which apps open according to their entitlements.
  private final class Desktop: Sendable {
    private let backends = Mutex<[AccessGroup: InMemoryBackend]>([:])
    let clock = TestClock()

    func backend(_ group: AccessGroup) -> InMemoryBackend {
      backends.withLock { backends in
        if let known = backends[group] { return known }
        let backend = InMemoryBackend()
        backends[group] = backend
        return backend
      }
    }

    func app(_ name: String = "mail", groups: [String] = ["com.contoso.shared"]) throws -> AppSecrets {
      let app = try AppEntitlements(app: "com.contoso.\(name)", publisher: "contoso", groups: groups)
      return AppSecrets(for: app, clock: clock) { self.backend($0) }
    }
  }

  private let desktop = Desktop()

  @Test("A secret is returned as stored, and the next save replaces it")
  func setAndGet() async throws {
    let mail = try desktop.app()
    for secret in [Secret("one"), Secret(""), Secret([0xFF, 0x00]), Secret("schön")] {
      try await mail.set(secret, service: "imap.contoso.com", account: "ada")
      #expect(try await mail.get(service: "imap.contoso.com", account: "ada") == secret)
      #expect(try await mail.contains(service: "imap.contoso.com", account: "ada"))
    }
    #expect(try await mail.list().count == 1)
  }

  @Test("Absence is nil, false or an empty list, and no other state is")
  func absence() async throws {
    let mail = try desktop.app()
    #expect(try await mail.get(service: "s") == nil)
    #expect(try await mail.item(service: "s") == nil)
    #expect(!(try await mail.contains(service: "s")))
    #expect(!(try await mail.remove(service: "s")))
    #expect(try await mail.list().isEmpty)
  }

  @Test("Service and account identify a secret exactly, and no text shifts between them")
  func names() async throws {
    let mail = try desktop.app()
    let names = [("a", "bc"), ("ab", "c"), ("abc", ""), ("A", "bc"), ("1:a", "bc"), ("a ", "bc")]
    for (number, name) in names.enumerated() {
      try await mail.set(Secret("\(number)"), service: name.0, account: name.1)
    }
    for (number, name) in names.enumerated() {
      #expect(try await mail.get(service: name.0, account: name.1)?.text == "\(number)")
    }
  }

  @Test("A list has the names, labels and times, sorted, and no secret")
  func list() async throws {
    let mail = try desktop.app()
    try await mail.set(Secret("x"), service: "b", account: "2", label: "Second")
    desktop.clock.advance(by: 60)
    try await mail.set(Secret("y"), service: "b", account: "1")
    try await mail.set(Secret("z"), service: "b", account: "2")
    try await mail.set(Secret("z"), service: "a")
    let items = try await mail.list()
    #expect(items.map(\.service) == ["a", "b", "b"])
    #expect(items.map(\.account) == ["", "1", "2"])
    #expect(items.map(\.label) == [nil, nil, "Second"])
    #expect(items[2].createdAt == TestClock.start)
    #expect(items[2].modifiedAt == TestClock.start + 60)
    #expect(try await mail.list(service: "b").count == 2)
    #expect(try await mail.item(service: "b", account: "2") == items[2])
    #expect(RedactionProbe.texts(of: items).allSatisfy { !$0.contains("Second") })
  }

  @Test("A save without a group goes to the first listed group, else to the app's own")
  func defaultGroup() async throws {
    try await desktop.app().set(Secret("x"), service: "s")
    #expect(try await desktop.app().list().map(\.group.name) == ["com.contoso.shared"])
    try await desktop.app("alone", groups: []).set(Secret("x"), service: "s")
    #expect(try await desktop.app("alone", groups: []).list().map(\.group.name) == ["com.contoso.alone"])
  }

  @Test("A search without a group covers all of the app's groups in listed order, its own last")
  func allGroups() async throws {
    let groups = ["com.contoso.first", "com.contoso.second"]
    let mail = try desktop.app(groups: groups)
    for group in ["com.contoso.mail", "com.contoso.second", "com.contoso.first"] {
      try await mail.set(Secret(group), service: "s", in: group)
      #expect(try await mail.get(service: "s")?.text == group)
    }
    #expect(try await mail.list().count == 3)
    #expect(try await mail.get(service: "s", from: "com.contoso.second")?.text == "com.contoso.second")
    #expect(try await mail.remove(service: "s", from: "com.contoso.first"))
    #expect(try await mail.get(service: "s")?.text == "com.contoso.second")
    #expect(try await mail.remove(service: "s"))
    #expect(try await mail.list().isEmpty)
  }

  @Test("An item of a list is read and removed in its own group, never in another publisher's of that name")
  func items() async throws {
    func entitlements(_ publisher: String) throws -> AppEntitlements {
      try AppEntitlements(app: "com.contoso.mail", publisher: publisher, groups: ["com.contoso.shared"])
    }
    let (app, mail) = (try entitlements("contoso"), try desktop.app())
    for group in [app.keychainSharingGroup, app.ownGroup] {
      try await mail.set(Secret(group.name), service: "s", in: group.name)
    }
    let items = try await mail.list()
    #expect(items.map(\.group) == [app.ownGroup, app.keychainSharingGroup])
    for item in items { #expect(try await mail.get(item)?.text == item.group.name) }
    let others = try AppSecrets(for: entitlements("fabrikam"), clock: desktop.clock) { desktop.backend($0) }
    try await others.set(Secret("theirs"), service: "s")
    await #expect(throws: SecretStoreError(.notEntitled, "")) { try await others.get(items[1]) }
    await #expect(throws: SecretStoreError(.notEntitled, "")) { try await others.remove(items[1]) }
    #expect(try await others.get(service: "s")?.text == "theirs")
    #expect(try await mail.remove(items[1]))
    #expect(try await mail.list() == [items[0]])
    #expect(try await mail.get(items[1]) == nil)
  }

  @Test("Apps that share a group share its secrets, and see nothing of each other's own groups")
  func sharing() async throws {
    try await desktop.app("mail").set(Secret("shared"), service: "s")
    try await desktop.app("mail").set(Secret("own"), service: "t", in: "com.contoso.mail")
    let calendar = try desktop.app("calendar")
    #expect(try await calendar.get(service: "s")?.text == "shared")
    #expect(try await calendar.get(service: "t") == nil)
    await #expect(throws: SecretStoreError(.notEntitled, "")) {
      try await calendar.get(service: "t", from: "com.contoso.mail")
    }
  }

  @Test("A group that can't be read stops neither the list nor the removal in the others")
  func oneFails() async throws {
    let locked = SecretStoreError(.groupLocked, "")
    let app = try AppEntitlements(app: "com.contoso.mail", publisher: "contoso", groups: ["a", "b", "c"])
    let secrets = AppSecrets(for: app, clock: desktop.clock) { group in
      FailingBackend(inner: desktop.backend(group), readError: group.name == "b" ? locked : nil)
    }
    for group in ["a", "c"] { try await secrets.set(Secret("x"), service: "s", in: group) }
    await #expect(throws: locked) { try await secrets.list() }
    let listing = try await secrets.listing()
    #expect(listing.items.map(\.group.name) == ["a", "c"] && listing.failure == locked)
    for call in [{ _ = try await secrets.remove(service: "s") }, { _ = try await secrets.get(service: "s") }]
    {
      let error = await #expect(throws: locked) { try await call() }
      #expect(error?.detail.contains("b of the publisher contoso") == true)
    }
    #expect(try await secrets.listing().items.isEmpty)
  }

  @Test(
    "A malformed argument throws invalidArgument, and nothing is stored",
    arguments: [
      ("", ""), (" ", ""), ("a\u{0}", ""), ("a\nb", ""), (String(repeating: "a", count: 1025), ""),
      ("s", "a\u{7}"), ("s", String(repeating: "ä", count: 513)),
    ])
  func malformed(service: String, account: String) async throws {
    let mail = try desktop.app()
    let invalid = SecretStoreError(.invalidArgument, "")
    await #expect(throws: invalid) { try await mail.set(Secret("x"), service: service, account: account) }
    await #expect(throws: invalid) { try await mail.get(service: service, account: account) }
    await #expect(throws: invalid) { try await mail.remove(service: service, account: account) }
    #expect(try await mail.list().isEmpty)
  }

  @Test(
    "A malformed label throws invalidArgument", arguments: ["", "a\nb", String(repeating: "a", count: 257)])
  func label(_ label: String) async throws {
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await desktop.app().set(Secret("x"), service: "s", label: label)
    }
  }

  @Test("A secret of the maximum size is stored, a larger one throws invalidArgument")
  func size() async throws {
    let mail = try desktop.app()
    let largest = Secret([UInt8](repeating: 0xFF, count: Secret.maximumBytes))
    try await mail.set(largest, service: "s")
    #expect(try await mail.get(service: "s") == largest)
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await mail.set(Secret([UInt8](repeating: 1, count: Secret.maximumBytes + 1)), service: "s")
    }
    #expect(try await mail.get(service: "s") == largest)
  }

  @Test("An error of the closure that opens a group is thrown")
  func backendFails() throws {
    let app = try AppEntitlements(app: "com.contoso.mail")
    #expect(throws: SecretStoreError(.identityMismatch, "")) {
      try AppSecrets(for: app) { _ in throw SecretStoreError(.identityMismatch, "") }
    }
  }

  @Test(
    "An unreadable secret throws corruptItem, is not overwritten, is skipped in lists, and can be removed")
  func corrupt() async throws {
    let mail = try desktop.app()
    try await mail.set(Secret("x"), service: "s")
    try await mail.set(Secret("y"), service: "t")
    let backend = desktop.backend(try AccessGroup("com.contoso.shared", publisher: Publisher("contoso")))
    let records = try await backend.records(matching: .all(.secret))
    let corrupt = SecretStoreError(.corruptItem, "")
    for record in records { await backend.storeRaw(Array("{".utf8), for: record.key) }
    await #expect(throws: corrupt) { try await mail.get(service: "s") }
    await #expect(throws: corrupt) { try await mail.set(Secret("z"), service: "s") }
    #expect(try await mail.list().isEmpty)
    #expect(try await mail.remove(service: "s"))
    #expect(try await mail.get(service: "s") == nil)
  }

  @Test("Unknown members survive a change")
  func unknown() async throws {
    let mail = try desktop.app()
    try await mail.set(Secret("x"), service: "s")
    let backend = desktop.backend(try AccessGroup("com.contoso.shared", publisher: Publisher("contoso")))
    let record = try #require(try await backend.records(matching: .all(.secret)).first)
    var json = try #require(JSONValue(parsing: try record.document().serialized()).objectValue)
    json["Later"] = ["a": 1]
    await backend.storeRaw(json.bytes, for: record.key)
    try await mail.set(Secret("y"), service: "s")
    let after = try #require(try await backend.record(for: record.key)).document().serialized()
    #expect(String(decoding: after, as: UTF8.self).contains(#""Later":{"a":1}"#))
  }

  @Test("The access check stores nothing and throws the error of the failed step")
  func access() async throws {
    let mail = try desktop.app()
    try await mail.checkAccess()
    #expect(try await mail.list().isEmpty)
    let failure = SecretStoreError(.groupLocked, "Locked.")
    let app = try AppEntitlements(app: "com.contoso.mail")
    let locked = AppSecrets(for: app) { _ in
      FailingBackend(inner: InMemoryBackend(), readError: failure)
    }
    await #expect(throws: failure) { try await locked.checkAccess() }
    await #expect(throws: failure) { try await locked.get(service: "s") }
    await #expect(throws: failure) { try await locked.list() }
  }
}
