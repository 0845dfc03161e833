// SPDX-License-Identifier: MIT

import KeychainGroupModel

@testable import TokenCacheModel
@testable import UnifiedCache

/// Checks of data that is read through a cache.
extension Decoder {
  /// Checks the records of a group, given as an array of documents that name their records.
  ///
  /// With any content, every call must return or throw a `SecretStoreError`.
  func checkGroup(_ bytes: [UInt8]) {
    guard let records = (try? JSONValue(parsing: bytes))?.arrayValue else { return }
    InlineExecutor.run {
      let backend = InMemoryBackend()
      for record in records {
        let document = try? CacheDocument(parsing: record.serialized())
        guard let key = document?.metadata.record else { continue }
        await backend.storeRaw(record.serialized(), for: key)
      }
      let cache = try Self.cache(backend, Self.authorities[0], TokenEndpointResponse(status: 503, body: []))
      let directory = AccountDirectory(backend: backend)
      await settled { try await WipeRecord.read(from: backend) }
      let secrets = AppSecrets(group: .adalCache, backend: backend)
      for item in await settled({ try await secrets.list() }) ?? [] {
        expectNoSecret(of: bytes, in: item)
        await settled { try await secrets.get(service: item.service, account: item.account) }
      }
      await settled { try await cache.currentAccount() }
      await settled { try await CacheTransfer(backend: backend).exportUnified() }
      let own = await settled { try await cache.accounts() } ?? []
      let all = await settled { try await directory.accounts() } ?? []
      for account in own + all {
        let result = await settled {
          try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
        }
        if let result { expectNoSecret(of: bytes, in: result) }
        await settled { try await cache.credentials(of: account) }
      }
      await settled { try await cache.learn(instanceDiscovery: Array(Self.discovery.utf8)) }
      for account in own { await settled { try await cache.signOut(account) } }
      for account in all { await settled { try await directory.signOut(account) } }
    }
  }

  /// Checks a token endpoint's response to a refresh, given as an object with `status`, `retry_after` and `body`.
  ///
  /// It must result in a token or a `SecretStoreError`, and leave the group readable.
  func checkRefresh(_ bytes: [UInt8]) {
    guard let sample = (try? JSONValue(parsing: bytes))?.objectValue else { return }
    let endpointResponse = TokenEndpointResponse(
      status: sample["status"]?.textValue.flatMap { Int($0) } ?? 200,
      body: sample["body"]?.stringValue.map { Array($0.utf8) } ?? sample["body"]?.serialized() ?? [],
      retryAfter: sample["retry_after"]?.stringValue)
    InlineExecutor.run {
      let backend = InMemoryBackend()
      let cache = try Self.cache(backend, Self.authorities[0], endpointResponse)
      let signIn = try TokenResponse(parsing: Array(Self.signIn.utf8))
      let account = try await cache.save(signIn, scopes: ["mail.read"])
      for isForced in [false, true, false] {
        do {
          let result = try await cache.acquireTokenSilent(
            scopes: ["mail.read"], account: account, forceRefresh: isForced)
          expect(!result.accessToken.isEmpty, "a result is a token")
          expectNoSecret(of: bytes, in: result)
        } catch let error as SecretStoreError {
          // The message contains the scopes.
          if error.code != .declinedScopes { expectNoSecret(of: bytes, in: error) }
        }
      }
      expect(try await cache.accounts().count <= 1, "a refresh adds no account")
      for kind in RecordKind.allCases {
        for record in try await backend.records(matching: .all(kind)) {
          self.checkDocument(try record.document().serialized())
        }
      }
    }
  }

  /// Checks an instance discovery response.
  ///
  /// Applying it a second time must change nothing.
  func checkInstanceDiscovery(_ bytes: [UInt8]) {
    guard let discovery = try? InstanceDiscovery(parsing: bytes) else { return }
    for cloud in discovery.clouds {
      let hosts = cloud.aliases + [cloud.preferredNetwork, cloud.preferredCache]
      expect(hosts.allSatisfy { !$0.isEmpty && $0 == $0.lowercased() }, "a host is in lower case")
    }
    InlineExecutor.run {
      let backend = InMemoryBackend()
      let cache = try Self.cache(backend, Self.authorities[0], TokenEndpointResponse(status: 503, body: []))
      try await cache.save(try TokenResponse(parsing: Array(Self.signIn.utf8)), scopes: ["mail.read"])
      let before = try await CacheTransfer(backend: backend).exportUnified()
      try await cache.learn(discovery)
      let learned = try await backend.records(matching: .all(.groupData)).map(\.content)
      try await cache.learn(discovery)
      let again = try await backend.records(matching: .all(.groupData)).map(\.content)
      expect(again == learned, "learning again changes nothing")
      let after = try await CacheTransfer(backend: backend).exportUnified()
      expect(after.json == before.json, "what is kept under a known cloud stays there")
    }
  }

  /// Authorities of every kind.
  static let authorities = [
    "https://login.microsoftonline.com/common", "https://contoso.b2clogin.com/tfp/contoso/B2C_1_signin",
    "https://adfs.contoso.com/adfs", "https://id.contoso.com/realms/staff",
  ].map { text in expectNoError("the authority is valid") { try Authority(text) } }

  /// Returns the cache of an app with an endpoint that always returns the same response.
  static func cache(
    _ backend: InMemoryBackend, _ authority: Authority, _ response: TokenEndpointResponse
  ) throws -> TokenCache {
    var options = TokenCacheOptions()
    options.clock = FixedClock()
    options.retryDelay = .zero
    options.usesExtendedLifetime = true
    return TokenCache(
      backend: backend, app: try AppIdentifier("com.contoso.mail"), clientID: "contoso-suite",
      authority: authority, endpoint: FixedEndpoint(response: response), options: options)
  }

  /// A sign-in response with an expired access token and a family refresh token.
  private static let signIn = """
    {"access_token": "at", "expires_in": 0, "refresh_token": "rt", "scope": "mail.read", "foci": "1", \
    "client_info": "eyJ1aWQiOiJ1aWQiLCAidXRpZCI6InV0aWQifQ=="}
    """

  /// The discovery response of a cloud that this package does not know.
  private static let discovery = """
    {"metadata": [{"preferred_network": "login.contoso.cloud", "preferred_cache": "cache.contoso.cloud", \
    "aliases": ["login.contoso.cloud", "cache.contoso.cloud"]}]}
    """

  /// Returns the result of a call, or `nil` when it throws a `SecretStoreError`.
  ///
  /// Other errors are findings.
  @discardableResult
  private func settled<Result>(_ call: () async throws -> Result) async -> Result? {
    do {
      return try await call()
    } catch {
      expect(error is SecretStoreError, "an error is one of ours")
      return nil
    }
  }
}
