// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Identifiers with control characters or many combining marks")
struct HostileIdentifierTests {
  private let group = SharedGroup()
  private var transfer: CacheTransfer { CacheTransfer(backend: group.backend, clock: group.clock) }

  struct IdentifierPlace: Sendable, CustomTestStringConvertible {
    let section: CacheSection
    let member: String
    var testDescription: String { "\(section.rawValue).\(member)" }
  }

  static let places =
    ["home_account_id", "environment", "client_id", "realm", "target", "kid", "credential_type"]
    .map { IdentifierPlace(section: .accessToken, member: $0) }
    + ["client_id", "family_id", "target"].map { IdentifierPlace(section: .refreshToken, member: $0) }
    + ["home_account_id", "environment", "realm", "local_account_id"]
    .map { IdentifierPlace(section: .account, member: $0) }
    + ["client_id", "environment", "family_id"].map { IdentifierPlace(section: .appMetadata, member: $0) }

  private static let characters =
    ["\u{0}", "\n", "\u{1B}", "\u{7F}", "\u{9B}", String(repeating: "\u{301}", count: 31)]

  private func cache(_ place: IdentifierPlace, _ character: String) -> JSONObject {
    let kind: CredentialKind = place.section == .refreshToken ? .refreshToken : .accessToken
    var fields: JSONObject =
      switch place.section {
      case .account: ["home_account_id": "uid.utid", "environment": "login.windows.net", "username": "ada"]
      case .appMetadata: ["client_id": "client", "environment": "login.windows.net"]
      default: EntryBuilder.fields(kind)
      }
    let present = fields[place.member]?.stringValue ?? "x"
    fields[place.member] = .string("\(present)\(character)x")
    return [place.section.rawValue: ["k": .object(fields)]]
  }

  @Test(
    "An identifier that is the entry's own token is refused", arguments: ["client_id", "family_id", "realm"])
  func token(_ member: String) async throws {
    var fields = EntryBuilder.fields(.refreshToken, secret: "a-refresh-token-of-ada")
    fields[member] = "a-refresh-token-of-ada"
    let cache: JSONObject = ["RefreshToken": ["k": .object(fields)]]
    let error = await #expect(throws: SecretStoreError.self) { try await transfer.importUnified(cache.bytes) }
    #expect(error?.code == .invalidFile)
    #expect(error?.detail.contains("a-refresh-token-of-ada") == false)
    #expect(try await group.stored().isEmpty)
  }

  @Test(
    "An ADAL item of a file whose identifier is its own token is refused",
    arguments: ["client_id", "family_id", "resource", "user_id"],
    ["refresh_token", "access_token", "id_token"])
  func tokenInADALItem(_ member: String, _ token: String) {
    var item = TestUser.anna.legacyRefreshToken()
    item.fields[token] = "a-token-of-ada-as-it-is"
    #expect(item.invalidIdentifier == nil)
    item.fields[member] = "a-token-of-ada-as-it-is"
    #expect(item.invalidIdentifier == member)
  }

  @Test(
    "A file's member ADAL, which would be an ADAL item of a record, is refused or left out",
    arguments: [true, false])
  func adalMember(skipsUnreadable: Bool) async throws {
    var cache = cacheFile()
    cache["ADAL"] = .object(TestUser.anna.legacyRefreshToken().fields)
    if skipsUnreadable {
      let summary = try await group.importing(cache) { $0.skipsUnreadable = true }
      #expect(summary.added == 1 && summary.unreadable == 1)
      #expect(try await group.backend.record(for: CachePartitioner.leftovers) == nil)
    } else {
      await #expect(throws: SecretStoreError(.invalidFile, "")) {
        try await transfer.importUnified(cache.bytes)
      }
      #expect(try await group.stored().isEmpty)
    }
  }

  @Test("An identifier and a token are compared by their bytes, whose cost grows with their length")
  func bytes() {
    let (precomposed, combining) = ("caf\u{e9} of contoso.com", "cafe\u{301} of contoso.com")
    #expect(precomposed == combining)
    let fields: JSONObject = ["client_id": .string(combining), "secret": .string(precomposed)]
    #expect(IdentifyingMembers.credential.invalid(in: fields) == nil)
    #expect(
      IdentifyingMembers.credential.invalid(in: fields.changed(by: ["secret": .string(combining)]))
        == "client_id")
  }

  @Test(
    "An import with one is refused with the entry's name and stores nothing; the entry can be skipped",
    arguments: places)
  func refused(_ place: IdentifierPlace) async throws {
    for character in Self.characters {
      let bytes = cache(place, character).bytes
      let error = await #expect(throws: SecretStoreError.self) { try await transfer.importUnified(bytes) }
      #expect(error?.code == .invalidFile)
      let name = "entry at index 0 of \(place.section.rawValue) has a \(place.member)"
      #expect(error?.detail.contains(name) == true, "\(error?.detail ?? "")")
      #expect(try await group.stored().isEmpty)
      var options = ImportOptions()
      options.skipsUnreadable = true
      #expect(try await transfer.importUnified(bytes, options: options).unreadable == 1)
      #expect(try await group.stored().isEmpty)
    }
  }

  @Test("A user name may contain any character")
  func names() async throws {
    var fields = EntryBuilder.fields(.accessToken)
    fields["realm"] = "utid"
    let cache: JSONObject = [
      "AccessToken": ["t": .object(fields)],
      "Account": [
        "a": [
          "home_account_id": "uid.utid", "environment": "login.windows.net", "realm": "utid",
          "username": "a\u{1B}[2Jb\u{0}", "name": "\u{202E}",
        ]
      ],
    ]
    #expect(try await transfer.importUnified(cache.bytes).added == 1)
    #expect(
      try await AccountDirectory(backend: group.backend, sharesWithADAL: true).accounts().map(\.username) == [
        "a\u{1B}[2Jb\u{0}"
      ])
  }

  @Test("A stored document with one is corrupt and never changed", arguments: places)
  func stored(_ place: IdentifierPlace) async throws {
    for character in Self.characters {
      var document = cache(place, character)
      let key = RecordKey.credentials(
        homeAccountID: "uid.utid", environment: "login.windows.net", clientID: "client")
      var metadata = DocumentMetadata()
      metadata.record = key
      document[CacheDocument.metadataSection] = .object(metadata.fields)
      await group.backend.storeRaw(document.bytes, for: key)
      let read = #expect(throws: SecretStoreError.self) {
        try Record(key: key, bytes: document.bytes).document()
      }
      #expect(read?.code == .corruptItem)
      #expect(read?.detail.contains("has a \(place.member)") == true, "\(read?.detail ?? "")")
      let error = await #expect(throws: SecretStoreError.self) {
        try await group.backend.update(key) { $0 = CacheDocument() }
      }
      #expect(error?.code == .corruptItem)
      // A document in its place could be read.
      await #expect(throws: SecretStoreError.self) {
        try await group.backend.record(for: key)?.document()
      }
    }
  }

  @Test("A record whose key has one is written by no back end")
  func keys() async throws {
    for key in [
      RecordKey(kind: .credentials, clientID: "client-one\u{0}x"), .groupData("a\u{0}"),
      .family(homeAccountID: "u", environment: "e", familyID: "1\n"),
    ] {
      let error = await #expect(throws: SecretStoreError.self) {
        try await group.backend.update(key) { $0 = CacheDocument() }
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test(
    "A response with one is refused",
    arguments: [
      ["scope": "mail.read\u{0}x"], ["token_type": "Bearer\u{0}"], ["foci": "1\u{0}"],
      ["resource": "https://graph\u{0}"], ["client_info": .string(Self.clientInfo(uid: "u\u{0}x"))],
      ["id_token": .string(JSONValue.object(["sub": "ada\u{0}"]).idToken)],
      ["id_token": .string(JSONValue.object(["sub": "ada", "tid": "t\u{1B}"]).idToken)],
    ] as [JSONObject])
  func response(_ changes: JSONObject) {
    let error = #expect(throws: SecretStoreError.self) {
      try TokenResponse(members: TestUser.anna.response(changing: changes))
    }
    #expect(error?.code == .invalidResponse)
  }

  private static func clientInfo(uid: String) -> String {
    JSONValue.object(["uid": .string(uid), "utid": "t"]).base64URL
  }

  @Test("A client ID or an authority with one throws invalidArgument")
  func arguments() async throws {
    let error = await #expect(throws: SecretStoreError.self) {
      try await group.app("mail", client: "client-one\u{0}x").signIn(TestUser.anna.response())
    }
    #expect(error?.code == .invalidArgument)
    #expect(throws: SecretStoreError.self) { try Authority("https://id.contoso.com/a%00b") }
    #expect(try await group.stored().isEmpty)
  }

  @Test("A keychain key with one, or an account's ID, throws invalidArgument")
  func keychain() async throws {
    let view = KeychainView(backend: group.backend, app: try SharedGroup.id("mail"))
    for key in [
      KeychainItemKey(account: "a\u{0}", service: "s"), KeychainItemKey(account: "a", service: "s\u{0}"),
      KeychainItemKey(account: "a", service: "s", generic: "g\u{0}"),
    ] {
      let error = await #expect(throws: SecretStoreError.self) { try await view.save([:], for: key) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(throws: SecretStoreError.self) { try KeychainAccountMetadata(fields: ["client_id": "c\u{0}"]) }
    let fields = EntryBuilder.fields(.idToken, changing: ["realm": "t\u{0}"])
    #expect(throws: SecretStoreError.self) { try CredentialEntry(fields: fields) }
  }

  @Test(
    "An ADAL item with one in any member is not stored",
    arguments: ["authority", "resource", "client_id", "user_id", "home_account_id", "on_behalf_of"])
  func adal(_ member: String) async throws {
    var token = ADALToken(authority: "https://login.windows.net/common", resource: "r", clientID: "c")
    token.accessToken = "at"
    token.fields[member] = .string("\(token.fields[member]?.stringValue ?? "x")\u{0}x")
    #expect(token.invalidIdentifier == member)
    #expect(ADALToken(.object(token.fields)) == nil)
    let entry = token
    let error = await #expect(throws: SecretStoreError.self) {
      try await ADALStore(backend: group.backend).save([entry], for: nil)
    }
    #expect(error?.code == .invalidArgument)
    var list = ADALEntryList(skippingInvalid: false)
    #expect(throws: SecretStoreError.self) {
      try list.add { () throws(ADALEntryProblem) in .tokens([entry]) }
    }
  }
}
