// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

extension Decoder {
  /// A token response: its members are sane, and it can be saved, or is refused, at every kind of authority.
  func checkTokenResponse(_ bytes: [UInt8]) {
    let response: TokenResponse
    do {
      response = try TokenResponse(parsing: bytes)
    } catch {
      expectNoSecret(of: bytes, in: error)
      return
    }
    expectNoSecret(of: bytes, in: response)
    expect(response.accessToken != nil || response.refreshToken != nil, "a response holds a token")
    let lifetimes = [response.expiresIn, response.extendedExpiresIn, response.refreshIn]
    for case let lifetime? in lifetimes { expect(0...315_360_000 ~= lifetime, "a lifetime is sane") }
    expect((response.idToken == nil) == (response.claims == nil), "an id token has claims")
    expect((response.encodedClientInfo == nil) == (response.clientInfo == nil), "client_info is decoded")
    if let scopes = response.scopes { checkScopeSet(scopes) }
    for authority in Self.authorities { checkSaving(response, at: authority, bytes) }
  }

  /// Saves a response in an empty group and reads it back, as a cache, a document and an export.
  private func checkSaving(_ response: TokenResponse, at authority: Authority, _ bytes: [UInt8]) {
    InlineExecutor.run {
      let backend = InMemoryBackend()
      let cache = try Self.cache(backend, authority, TokenEndpointReply(status: 503, body: []))
      let account: Account
      do {
        account = try await cache.save(response, scopes: ["mail.read"])
      } catch let error as SecretStoreError {
        expect(error.code == .corruptItem, "a response is refused for what it holds")
        expectNoSecret(of: bytes, in: error)
        return
      }
      let accounts = try await cache.accounts()
      expect(accounts.map(\.identifier) == [account.identifier], "a saved account is the only one")
      for record in try await backend.records(matching: .all(.credentials)) {
        self.checkDocument(try record.document().serialized())
      }
      self.checkExchange(try await CacheExchange(backend: backend).exportUnified().json)
    }
  }

  /// An id token: the claims are what the payload's JSON holds.
  func checkIDToken(_ bytes: [UInt8]) {
    _ = try? IDTokenClaims(token: String(decoding: bytes, as: UTF8.self))

    let object = (try? JSONValue(parsing: bytes))?.objectValue
    let claims = try? IDTokenClaims(token: "e30.\(base64URL(bytes)).")
    expect(claims?.claims == object, "the claims are the payload's members")
    guard let claims else { return }
    expect(claims.subject != "" && claims.username != "", "no claim is empty")
    expect(claims.tenantID == claims["tid"], "a tenant is named")
    expect(claims.localAccountID != nil || claims.subject == nil, "a subject is an id")
    expectNoSecret(of: bytes, in: claims)
  }

  /// A `client_info`: the two ids are what its JSON holds.
  func checkClientInfo(_ bytes: [UInt8]) {
    _ = try? ClientInfo(encoded: String(decoding: bytes, as: UTF8.self))

    let object = (try? JSONValue(parsing: bytes))?.objectValue
    let info = try? ClientInfo(encoded: base64URL(bytes))
    let ids = ["uid", "utid"].map { object?[$0]?.stringValue ?? "" }
    expect((info == nil) == ids.contains(""), "both ids are needed")
    guard let info else { return }
    expect([info.uid, info.utid] == ids, "the ids are the object's")
    expect(info.homeAccountID == "\(info.uid).\(info.utid)".lowercased(), "the account has both ids")
  }

  /// An OAuth error: only what is spelled as RFC 6749 has it is shown.
  func checkOAuthError(_ bytes: [UInt8]) {
    for status in [Int.min, 0, 200, 400, 401, 503, Int.max] {
      let error = OAuthError(status: status, body: bytes)
      for code in [error.code, error.suberror ?? ""] {
        expect(code.utf8.count <= 64, "a code is short")
        expect(code.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a code is printable")
      }
      expect(error.suberror != "", "a suberror is not empty")
      expect(error.description.hasPrefix("HTTP status \(status)"), "a description tells the status")
      expect(!error.code.isEmpty || error.asksForInteraction == (400...401 ~= status), "the status decides")
    }
  }

  /// Base64 with the URL-safe alphabet, not padded.
  private func base64URL(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { digit in
        switch digit {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: digit
        }
      })
  }
}
