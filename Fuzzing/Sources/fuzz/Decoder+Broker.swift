// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

@testable import KeychainGroupModel
@testable import TokenCacheModel
@testable import UnifiedCache

extension Decoder {
  /// Checks a reply of an identity broker, as every method's reply.
  ///
  /// What is accepted must be usable, and an error must not repeat the reply.
  func checkBrokerReply(_ bytes: [UInt8]) {
    let reply: BrokerReply
    do {
      reply = try BrokerReply(parsing: String(decoding: bytes, as: UTF8.self))
    } catch {
      expectNoSecret(of: bytes, in: error)
      expectNoSecret(of: bytes, in: error.storeError(redirectURI: RedirectURI.nativeClient))
      return
    }
    do {
      for account in try reply.accounts() {
        expect(HomeAccountID(account.account.identifier).isAzureAD, "an account has a home account ID")
        expect(!account.account.username.isEmpty, "an account has a user name")
        expect(!account.account.environment.hasUnsafeCharacter, "an environment is an identifier")
      }
    } catch {
      expectNoSecret(of: bytes, in: error)
    }
    if let version = try? reply.version() { expect(version.utf8.count <= 64, "a version is short") }
    checkBrokerToken(reply, bytes)
  }

  private func checkBrokerToken(_ reply: BrokerReply, _ bytes: [UInt8]) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    do {
      let token = try BrokerToken(reply, now: now)
      expect(token.response.refreshToken == nil, "no refresh token is read")
      expect(token.response.accessToken?.isEmpty == false, "a token is read")
      expect(token.response.expiresOn.map { $0 >= 1_700_000_000 } == true, "a token has not expired")
      let account = Account(
        identifier: "9f4880d8-80ba-4c40-97bc-f7a23c703084.f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
        username: "anna@contoso.com", environment: "login.microsoftonline.com")
      try token.check(for: account, clientID: "contoso", .shipped)
      let named = token.response.clientInfo.map { HomeAccountID($0.homeAccountID) }
      expect(named == HomeAccountID(account.identifier), "a token is the account's")
    } catch {
      expectNoSecret(of: bytes, in: error)
    }
  }
}
