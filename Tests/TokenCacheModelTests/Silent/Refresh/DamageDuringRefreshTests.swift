// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Another program damages a record during a refresh, and somebody signs out.
@Suite("Damage during a refresh, and a sign-out")
struct DamageDuringRefreshTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private var tokens: [String] {
    get async throws {
      var tokens: [String] = []
      for kind in [RecordKind.credentials, .family, .legacy] {
        for record in try await group.backend.records(matching: .all(kind)) {
          let document = try record.document()
          tokens += document.credentials.map(\.secret)
          if document.adalToken?.kind != nil {
            tokens += [document.adalToken?.refreshToken].compactMap(\.self)
          }
        }
      }
      return tokens
    }
  }

  @Test(
    "A sign-out of everybody in a record that is made anew counts, also where the former one had a sign-out")
  func sameNumberOfSignOuts() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    try await group.signOutEverywhere()
    try await mail.signIn(anna.response(1))
    await group.endpoint.beforeResponding {
      try await group.backend.remove(SharedGroup.key())
      try await group.app("mail").signIn(anna.response(1))
      try await group.signOutEverywhere()
    }
    await group.endpoint.response(anna.response(2))
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await refresh(mail, account) }
    #expect(try await tokens == [])
  }

  @Test("An app that signs out while its record is set aside gets no tokens of the refresh")
  func ownSignOut() async throws {
    let backend = DamagedBackend(inner: group.backend)
    let mail = try group.app("mail", through: backend)
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.beforeResponding {
      try await backend.damage(SharedGroup.key())
      #expect(try await mail.signOut(account))
    }
    await group.endpoint.response(anna.response(2))
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await refresh(mail, account) }
    #expect(try await tokens == [])
  }

  @Test("What is made again is kept", arguments: [false, true])
  func madeAgain(isADAL: Bool) async throws {
    let backend = DamagedBackend(inner: group.backend)
    try await refreshing(isADAL, through: backend) { token, error in
      #expect(token == "at-2" && error == nil)
    }
    #expect(try await tokens.contains("rt-2"))
  }

  @Test(
    "A removal of everything just before a record is made again leaves no token", arguments: [false, true])
  func removalOfEverything(isADAL: Bool) async throws {
    var backend = DamagedBackend(inner: group.backend)
    let damaged = backend
    let answers = StepCounter()
    backend.afterSettingAside = {
      guard await answers.next() == 0 else { return }
      try await damaged.removeEverything()
    }
    try await refreshing(isADAL, through: backend) { token, error in
      #expect(token == nil && error == .interactionRequired)
    }
    #expect(try await tokens == [])
  }

  @Test("A removal of everything just before a record is made again leaves none where that gets no token")
  func removalBeforeRecordWithoutToken() async throws {
    var backend = DamagedBackend(inner: group.backend)
    let damaged = backend
    let answers = StepCounter()
    backend.afterSettingAside = {
      guard await answers.next() == 0 else { return }
      try await damaged.removeEverything()
    }
    let mail = try group.app("mail", through: backend)
    let account = try await mail.signIn(anna.response(1, family: "1"))
    await group.endpoint.beforeResponding { try await damaged.damage(SharedGroup.key()) }
    await group.endpoint.response(anna.response(2, family: "1", changing: ["access_token": 7]))
    await #expect(throws: SecretStoreError.self) { try await refresh(mail, account) }
    #expect(await answers.next() > 1)
    #expect(try await tokens == [])
  }

  @Test("A refresh token whose item was set aside is in the error where the response names no account")
  func unnamed() async throws {
    let backend = DamagedBackend(inner: group.backend)
    try await group.store(anna.legacyRefreshToken())
    let mail = try group.app("mail", through: backend)
    let account = try #require(try await mail.account())
    let key = RecordKey.legacy(anna.legacyRefreshToken())
    await group.endpoint.beforeResponding { try await backend.damage(key) }
    await group.endpoint.response(anna.response(2, changing: ["client_info": .null, "id_token": .null]))
    let error = await #expect(throws: SecretStoreError(.missingClientInfo, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.unsaved?.response.refreshToken == "rt-2" && error?.unsaved?.losesRefreshToken == true)
  }

  /// Refreshes while another program damages the record, and hands over the token or the error.
  private func refreshing(
    _ isADAL: Bool, through backend: DamagedBackend,
    _ check: (String?, SecretStoreError.Code?) -> Void
  ) async throws {
    if isADAL {
      let mail = try group.adal("mail", .ownFormat, through: backend)
      try await mail.signIn(anna.adalResponse())
      await group.endpoint.beforeResponding {
        for item in try await ADALStore(backend: group.backend).items() { try await backend.damage(item.key) }
      }
      group.clock.advance(by: 3600)
      await group.endpoint.response(anna.adalResponse(2))
      do {
        check(try await mail.acquireTokenSilent(resource: SharedGroup.graph).accessToken, nil)
      } catch let error as SecretStoreError {
        check(nil, error.code)
      }
    } else {
      let mail = try group.app("mail", through: backend)
      let account = try await mail.signIn(anna.response(1))
      await group.endpoint.beforeResponding {
        try await backend.damage(SharedGroup.key())
      }
      await group.endpoint.response(anna.response(2))
      do {
        check(try await refresh(mail, account).accessToken, nil)
      } catch let error as SecretStoreError {
        check(nil, error.code)
      }
    }
  }
}
