// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

extension RedactionTests {
  private struct Blob: SerializedADALCacheDelegate {
    func willAccess(_ cache: SerializedADALCache) async throws {}
    func willWrite(_ cache: SerializedADALCache) async throws {}
    func didWrite(_ cache: SerializedADALCache) async throws {}
  }

  /// Public types that hold no token, no secret and no name, or are no values.
  private static let harmless: Set<String> = [
    "ADALFileFormat", "ADALGeneration", "AccessGroup", "AppEntitlements", "AppIdentifier", "Authority",
    "ClientRegistration", "CredentialKind", "ExpectedIssuer", "GroupState", "ImportOptions", "Issuer",
    "KeychainAccountType", "Publisher", "RecordKind", "RedirectProblem", "RedirectURI", "Scopes",
    "SystemWallClock", "TokenCacheOptions", "WipeRecord",
  ]

  @Test("Descriptions of all public types show no token, secret or name")
  func everyType() async throws {
    let subjects = try await cacheSubjects() + fileSubjects() + keychainSubjects() + groupSubjects()
    for subject in subjects { expectNoMarker(subject) }
    let tried = Set(
      subjects.map { String(reflecting: type(of: $0)).split(separator: ".")[1] }.map(String.init))
    #expect(try Self.publicTypes().subtracting(tried.union(Self.harmless)) == [])
    #expect(try Self.harmless.subtracting(Self.publicTypes()) == [])
  }

  /// The public types of the sources, without nested types.
  private static func publicTypes() throws -> Set<String> {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
    var types: Set<String> = []
    for module in [
      "KeychainGroupModel", "StrictJSON", "UnifiedCache", "TokenCacheModel", "ADALCache", "KeychainItems",
    ] {
      let folder = root.appending(path: module).standardized
      let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          let words = line.split { " :{<".contains($0) }.filter { $0 != "final" }
          if line.hasPrefix("public "), words.count > 2,
            ["struct", "enum", "class", "actor"].contains(words[1])
          {
            types.insert(String(words[2]))
          }
        }
      }
    }
    return types
  }

  private func cacheSubjects() async throws -> [Any] {
    let group = SharedGroup()
    let mail = try group.app("mail")
    let account = try await mail.signIn(responseMembers)
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    let document = try #require(await group.document(of: person))
    var query = CredentialQuery()
    query.homeAccountID = "hunter2@contoso.com"
    query.requestedClaims = .equal("hunter2")
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.claims = "hunter2"
    let scheme = AccessTokenScheme(
      tokenType: "pop", keyID: "hunter2", requestParameters: [(name: "req_cnf", value: "hunter2")])
    let request = TokenRequest(
      authority: mail.authority, clientID: SharedGroup.suite, scopes: [], refreshToken: "hunter2",
      claims: "hunter2", scheme: scheme)
    let response = try TokenResponse(members: responseMembers)
    var changes = mail.changes().makeAsyncIterator()
    let change = try #require(await changes.next())
    guard case .snapshot(let snapshot) = change else { throw ScriptedEndpoint.NotScripted() }
    let transfer = CacheTransfer(backend: group.backend)
    let export = try await transfer.exportUnified()
    let declined = await #expect(throws: SecretStoreError.self) {
      await group.endpoint.response(responseMembers.changed(by: ["scope": "openid"]))
      return try await mail.acquireTokenSilent(scopes: ["mail.send"], account: account)
    }
    let badJSON = #expect(throws: JSONError.self) {
      try JSONValue(parsing: Array(#"{"hunter2":hunter2"#.utf8))
    }
    let document2: [Any] = [
      document, try #require(document.accounts.first), try #require(document.credentials.first),
      document.metadata, try #require(response.claims), try #require(response.clientInfo), response,
      try TokenEntries(
        response, clientID: "hunter2", authority: mail.authority, requested: [], known: nil,
        now: TestClock.start
      ).metadata,
      try #require(AppMetadataEntry(["client_id": "hunter2", "environment": "hunter2"], named: "hunter2")),
    ]
    return document2 + [
      mail, account, result, query, parameters, scheme, request, change, snapshot, mail.changes(), transfer,
      export, try await transfer.importUnified(export.json), try #require(declined),
      try #require(declined?.underlying as? DeclinedScopes),
      TokenResult.Unsaved(saveError: try #require(declined), response: response),
      try #require(badJSON), group.backend,
      JSONValue.string("hunter2"), responseMembers, JSONNumber(104_117_110), RecordChange.write(document),
      Record(key: SharedGroup.key(of: person), document: document),
      GroupObservation(
        placement: "", records: [Record(key: SharedGroup.key(of: person), document: document)]),
      SharedGroup.key(of: openIDPerson),
      try #require(DamagedRecord(Record(key: SharedGroup.key(of: person), bytes: Array("hunter2".utf8)))),
      ImportSummary.Oversized(SharedGroup.key(of: person), document),
      try await AccountDirectory(backend: group.backend, sharesWithADAL: true).listing(),
      RecordQuery.all(.credentials, homeAccountID: "hunter2@contoso.com"),
      AccountDirectory(backend: group.backend, sharesWithADAL: true),
      try await mail.currentAccount(), try #require(account.tenantProfiles.first),
      TokenEndpointResponse(status: 200, body: responseMembers.bytes),
      OAuthError(status: 400, body: Array(#"{"error":"x","error_description":"hunter2"}"#.utf8)),
    ]
  }

  private var openIDPerson: TestUser { TestUser(uid: "hunter2@contoso.com", utid: "", username: "hunter2") }

  private func fileSubjects() async throws -> [Any] {
    let group = SharedGroup()
    let adal = try group.adal("old")
    let result = try await adal.signIn(
      person.adalResponse(changing: ["access_token": "hunter2", "refresh_token": "hunter2"]))
    let token = person.legacyRefreshToken("hunter2")
    let bad = ADALSamples.response(["accessToken": "hunter2", "refreshToken": ["hunter2"], "hunter2": 1])
    let file = try ADALSamples.python(bad, skippingInvalid: true)
    let good = try ADALSamples.python(ADALSamples.response(["accessToken": "hunter2"]))
    let cache = SerializedADALCache()
    return [
      adal, result, token, file, try #require(file.leftOut.first), try good.serialized(as: .python),
      try #require(ADALUser(token)), ADALTransfer(backend: group.backend), cache,
      SerializedADALBackend(over: group.backend, cache: cache, delegate: Blob()),
    ]
  }

  private func keychainSubjects() throws -> [Any] {
    var metadata = KeychainAccountMetadata(clientID: "hunter2")
    var state = KeychainAccountState()
    try state.setAuthorityURL("https://hunter2", for: "https://id.contoso.com")
    metadata["hunter2@contoso.com"] = state
    var criteria = KeychainCredentialCriteria(kind: nil)
    criteria.homeAccountID = "hunter2@contoso.com"
    return [
      metadata, state, criteria, try SharedGroup().view(), KeychainItemQuery.items(account: "hunter2"),
      KeychainItemKey(account: "hunter2", service: "hunter2", generic: "hunter2"),
      KeychainPrincipalAccount(homeAccountID: "hunter2", username: "hunter2", environment: "hunter2"),
    ]
  }

  private func groupSubjects() async throws -> [Any] {
    let backend = InMemoryBackend()
    let secrets = AppSecrets(group: try AccessGroup("com.contoso.shared"), backend: backend)
    let new = NewSecret(Secret("hunter2"), service: "hunter2", account: "hunter2", label: "hunter2")
    try await secrets.set([new])
    let app = try SharedGroup.id("mail")
    let redirects = RedirectHandler()
    let uri = try RedirectURI(defaultFor: app)
    let good = await redirects.issueState(for: uri)
    let opened = try await redirects.handleRedirect("\(uri)?code=hunter2&state=\(good)&x=hunter2", for: app)
    let bad = await redirects.issueState(for: uri)
    let refused = await #expect(throws: SecretStoreError.self) {
      try await redirects.handleRedirect(
        "\(uri)?error=x&error_description=hunter2&state=\(bad)", for: app)
    }
    var facts = ProcessFacts(processID: 1)
    facts.environment["PASSWORD"] = "hunter2"
    return [
      new, new.secret, secrets, try #require(try await secrets.list().first), opened, redirects, facts,
      try #require(refused?.underlying as? AuthorizationError),
    ]
  }
}
