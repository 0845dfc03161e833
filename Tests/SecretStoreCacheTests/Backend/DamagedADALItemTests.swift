// SPDX-License-Identifier: MIT

import ADALCache
import Foundation
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import SecretStoreCache

extension ServiceTests {
  /// Another program damages the item of a refresh token while ADAL redeems that token.
  @Suite("Items of ADAL that are damaged during a refresh", .serialized)
  struct DamagedADALItemTests {
    private static let client = "0f4f8d8e-3b1c-4d5a-9a64-0d5a3c1b7e21"
    private static let graph = "https://graph.windows.net"

    /// What happens to the item.
    enum Change: CaseIterable {
      case damaged, damagedAndSetAside
    }

    /// A token endpoint that changes the group before it responds.
    private struct Endpoint: TokenEndpoint {
      let body: [UInt8]
      let change: @Sendable () async throws -> Void

      func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
        try await change()
        return TokenEndpointResponse(status: 200, body: body)
      }
    }

    @Test("What was set aside before the request brings no item back", arguments: ADALGeneration.allCases)
    func setAsideBefore(generation: ADALGeneration) async throws {
      let group = try ServiceSupport.newGroup()
      let first = try cache(group, generation)
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      try await first.save(TokenResponse(parsing: Self.body(1)), resource: Self.graph)
      for record in try await backend.records(matching: .all(.legacy)) {
        try await PlantedItem.store(Array("hello".utf8), for: record.key, in: group)
        #expect(try await backend.setAside(record.key, since: 0))
      }
      try await first.save(TokenResponse(parsing: Self.body(1)), resource: Self.graph)
      // Providers give times in whole seconds, and a refresh counts from two seconds before.
      try await Task.sleep(for: .seconds(3.1))
      let endpoint = Endpoint(body: Self.body(2)) {
        for record in try await backend.records(matching: .all(.legacy)) {
          try await backend.remove(record.key)
        }
        for record in try await backend.records(matching: .all(.credentials)) {
          try await backend.remove(record.key)
        }
      }
      await #expect(throws: SecretStoreError(.interactionRequired, "")) {
        try await cache(group, generation, endpoint, later: 7200)
          .acquireTokenSilent(resource: Self.graph, userID: "ada@contoso.com")
      }
      #expect(try await backend.records(matching: .all(.legacy)).isEmpty)
    }

    private static func body(_ number: Int) -> [UInt8] {
      let claims = Data("{\"oid\":\"a\",\"tid\":\"b\",\"sub\":\"c\",\"upn\":\"ada@contoso.com\"}".utf8)
      let text = claims.base64EncodedString().replacing("=", with: "")
      return Array(
        """
        {"token_type":"Bearer","expires_in":3600,"resource":"\(graph)","access_token":"at-\(number)",
        "refresh_token":"rt-\(number)","id_token":"h.\(text).s"}
        """.utf8)
    }

    private func cache(
      _ group: AccessGroup, _ generation: ADALGeneration, _ endpoint: (any TokenEndpoint)? = nil,
      later seconds: TimeInterval = 0
    ) throws -> ADALTokenCache {
      var options = TokenCacheOptions()
      options.clock = TestClock(Date.now.addingTimeInterval(seconds))
      return ADALTokenCache(
        backend: ServiceSupport.store().unrestrictedBackend(for: group),
        app: try AppIdentifier("com.contoso.mail"), clientID: Self.client,
        authority: try Authority("https://login.microsoftonline.com/common"), generation: generation,
        endpoint: endpoint, options: options)
    }

    @Test(
      "The new refresh token is saved",
      arguments: ADALGeneration.allCases, Change.allCases)
    func refresh(generation: ADALGeneration, change: Change) async throws {
      let group = try ServiceSupport.newGroup()
      let first = try cache(group, generation)
      // An earlier sign-out has left its count in the item.
      for _ in 1...2 {
        try await first.save(TokenResponse(parsing: Self.body(1)), resource: Self.graph)
        try await first.signOut(userID: "ada@contoso.com")
      }
      try await first.save(TokenResponse(parsing: Self.body(1)), resource: Self.graph)
      let backend = ServiceSupport.store().unrestrictedBackend(for: group)
      let endpoint = Endpoint(body: Self.body(2)) {
        for record in try await backend.records(matching: .all(.legacy)) {
          guard try record.document().adalToken?.refreshToken != nil else { continue }
          try await PlantedItem.store(Array("hello".utf8), for: record.key, in: group)
          if change == .damagedAndSetAside {
            #expect(
              try await ServiceSupport.store().unrestrictedBackend(for: group).setAside(record.key, since: 0))
          }
        }
      }
      let refreshing = try cache(group, generation, endpoint, later: 7200)
      let result = try await refreshing.acquireTokenSilent(resource: Self.graph, userID: "ada@contoso.com")
      #expect(result.accessToken == "at-2" && result.saveError == nil)
      let stored = try await ServiceSupport.store().unrestrictedBackend(for: group)
        .records(matching: .all(.legacy)).compactMap { try $0.document().adalToken?.refreshToken }
      #expect(stored == ["rt-2"])
    }
  }
}
