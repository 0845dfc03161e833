// SPDX-License-Identifier: MIT

import FoundationEssentials
import TokenCacheModel

@testable import KeychainGroupModel
@testable import UnifiedCache

extension Decoder {
  /// Checks a token response.
  ///
  /// Its members must be valid, and every kind of authority must save or refuse it.
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

  /// Saves a response in an empty group and checks the cache, the document and an export.
  private func checkSaving(_ response: TokenResponse, at authority: Authority, _ bytes: [UInt8]) {
    InlineExecutor.run {
      let backend = InMemoryBackend()
      let cache = try Self.cache(backend, authority, TokenEndpointResponse(status: 503, body: []))
      let account: Account
      do {
        account = try await cache.save(response, scopes: ["mail.read"])
      } catch let error as SecretStoreError {
        let codes: [SecretStoreError.Code] = [.invalidResponse, .missingClientInfo]
        expect(codes.contains(error.code), "a response is refused for what it holds, or lacks")
        expectNoSecret(of: bytes, in: error)
        return
      }
      let accounts = try await cache.accounts()
      expect(accounts.map(\.identifier) == [account.identifier], "a saved account is the only one")
      for record in try await backend.records(matching: .all(.credentials)) {
        self.checkDocument(try record.document().serialized())
      }
      self.checkTransfer(try await CacheTransfer(backend: backend).exportUnified().json)
    }
  }

  /// Checks an ID token.
  ///
  /// The claims must be the members of the payload.
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

  /// Checks a `client_info`.
  ///
  /// The two ids must be those of its JSON, without control characters.
  func checkClientInfo(_ bytes: [UInt8]) {
    _ = try? ClientInfo(encoded: String(decoding: bytes, as: UTF8.self))

    let object = (try? JSONValue(parsing: bytes))?.objectValue
    let info = try? ClientInfo(encoded: base64URL(bytes))
    let ids = ["uid", "utid"].map { object?[$0]?.stringValue ?? "" }
    expect((info == nil) == ids.contains { $0.isEmpty || $0.hasUnsafeCharacter }, "both ids are needed")
    guard let info else { return }
    expect([info.uid, info.utid] == ids, "the ids are the object's")
    expect(info.homeAccountID == "\(info.uid).\(info.utid)".lowercased(), "the account has both ids")
  }

  /// Checks an OAuth error.
  ///
  /// Only codes with the characters of RFC 6749 may be shown.
  func checkOAuthError(_ bytes: [UInt8]) {
    for status in [Int.min, 0, 200, 400, 401, 503, Int.max] {
      let error = OAuthError(status: status, body: bytes)
      for code in [error.code, error.suberror ?? ""] {
        expect(code.utf8.count <= 64, "a code is short")
        expect(code.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a code is printable")
      }
      expect(error.suberror != "", "a suberror is not empty")
      expect(error.description.hasPrefix("HTTP status \(status)"), "a description tells the status")
      expect(
        !error.code.isEmpty || !error.asksForInteraction, "a response without a code asks for no sign-in")
    }
  }

  /// Returns the Base64 encoding with the URL-safe alphabet and without padding.
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
