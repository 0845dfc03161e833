// SPDX-License-Identifier: MIT

import KeychainGroupModel
import KeychainItems
import Testing
import TokenCacheModel

@Suite("Partitions of access tokens")
struct PartitionTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func app(_ partition: String?, through backend: (any TokenCacheBackend)? = nil) throws -> TokenCache
  {
    try group.app("mail", through: backend) { $0.partition = partition }
  }

  @Test("Each has tokens of its own for the same scopes; the account and its refresh token are shared")
  func apart() async throws {
    let account = try await app(nil).signIn(anna.response(1))
    let partitions: [String?] = [nil, "red", "blue", "Red"]
    for (number, partition) in partitions.enumerated().dropFirst() {
      await group.endpoint.response(anna.response(number + 1, changing: ["refresh_token": .null]))
      _ = try await app(partition).acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    for (number, partition) in partitions.enumerated() {
      let kept = KeepingBackend(inner: group.backend)
      for _ in 0..<2 {
        let result = try await app(partition, through: kept).acquireTokenSilent(
          scopes: ["mail.read"], account: account)
        #expect(result.accessToken == "at-\(number + 1)" && result.source == .cache)
      }
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1", "rt-1"])
    #expect(try await app("green").accounts() == [account])
  }

  @Test("Each has tokens of its own for the client itself and on behalf of users")
  func service() async throws {
    let authority = "https://login.microsoftonline.com/f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
    func app(_ partition: String?) throws -> TokenCache {
      try group.app("mail", authority: authority) { $0.partition = partition }
    }
    let partitions: [String?] = [nil, "red", "blue"]
    for (number, partition) in partitions.enumerated() {
      let response = try TokenResponse(members: [
        "token_type": "Bearer", "expires_in": 3600, "access_token": .string("app-\(number)"),
      ])
      try await app(partition).saveAppToken(response, scopes: ["s/.default"])
      try await app(partition).save(
        try TokenResponse(members: anna.response(number)), scopes: ["mail.read"], onBehalfOf: "assertion")
    }
    for (number, partition) in partitions.enumerated() {
      let cache = try app(partition)
      #expect(try await cache.appToken(scopes: ["s/.default"])?.secret == "app-\(number)")
      #expect(
        try await cache.token(scopes: ["mail.read"], onBehalfOf: "assertion")?.secret == "at-\(number)")
    }
    #expect(try await app("green").appToken(scopes: ["s/.default"]) == nil)
    #expect(try await app("green").token(scopes: ["mail.read"], onBehalfOf: "assertion") == nil)
  }

  @Test("A result that is kept in memory is not given to another partition")
  func kept() async throws {
    let kept = KeepingBackend(inner: group.backend)
    let account = try await app("red", through: kept).signIn(anna.response(1))
    let result = try await app("red", through: kept).acquireTokenSilent(
      scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
    await group.endpoint.response(anna.response(2))
    let other = try await app(nil, through: kept).acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(other.accessToken == "at-2")
  }

  @Test(
    "A query finds a partition's tokens, a keychain tells them apart, and an export has other MSALs skip them"
  )
  func found() async throws {
    let account = try await app("red").signIn(anna.response(1))
    try await app("blue").signIn(anna.response(2))
    var query = CredentialQuery([.accessToken])
    query.partition = .equal("red")
    #expect(try await app(nil).credentials(of: account, matching: query).map(\.secret) == ["at-1"])
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    #expect(export.skippedByPeers == 2)
    let tokens = try CacheDocument(parsing: export.json).credentials.filter { $0.kind == .accessToken }
    #expect(Set(tokens.compactMap { $0.fields["ext_cache_key"]?.stringValue }).count == 2)
    let keychain = try SharedGroup().view()
    for token in tokens { try await keychain.save(token) }
    #expect(Set(try await keychain.credentials(matching: .items()).map(\.secret)) == ["at-1", "at-2"])
    let copy = InMemoryBackend()
    _ = try await CacheTransfer(backend: copy).importUnified(export.json)
    let cache = try app("blue", through: copy)
    #expect(
      try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
  }
}
