// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL: saving a sign-in")
struct ADALSaveTests {
  private let group = SharedGroup()

  @Test("An access token, a refresh token for all resources and the family's copy are three items")
  func items() async throws {
    try await group.adal("mail", .ownFormat).signIn(TestUser.anna.adalResponse(family: "1"))
    let access = try #require(try await group.legacyItems(.accessToken).first)
    #expect(access.resource == SharedGroup.graph && access.accessToken == "at-1")
    #expect(access.refreshToken == nil && access.familyID == nil)
    #expect(access.expiresOn == TestClock.start + 3600 && access.cachedAt == TestClock.start)
    #expect(access.authority == "https://login.windows.net/common")
    #expect(access.userID == "anna@contoso.com" && access.uniqueID == TestUser.anna.uid)
    #expect(access.tenantID == TestUser.anna.utid && access.givenName == "A" && access.familyName == "Person")
    let refresh = try #require(try await group.legacyItems(.multiResourceRefreshToken).first)
    #expect(refresh.refreshToken == "rt-1" && refresh.resource == nil && refresh.familyID == "1")
    #expect(refresh.accessToken == nil && refresh.expiresOn == nil)
    let family = try #require(try await group.legacyItems(.familyRefreshToken).first)
    #expect(
      family.clientID == "foci-1" && family.refreshToken == "rt-1" && family.userID == "anna@contoso.com")
    #expect(try await group.legacyItems().count == 3)
  }

  @Test("Without a resource in the response the refresh token is for that resource alone, in one item")
  func singleResource() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    try await adfs.signIn(TestUser.anna.adalResponse(changing: ["resource": .null, "client_info": .null]))
    let items = try await group.legacyItems()
    #expect(items.map(\.kind) == [.singleResource])
    #expect(items.first?.accessToken == "at-1" && items.first?.refreshToken == "rt-1")
    #expect(items.first?.authority == "https://adfs.contoso.com/adfs")
  }

  @Test("An AD FS response may name no user")
  func nobody() async throws {
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    let result = try await adfs.signIn(
      TestUser.anna.adalResponse(changing: ["resource": .null, "client_info": .null, "id_token": .null]))
    #expect(result.user == nil)
    #expect(try await adfs.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-1")
  }

  @Test("From 2.7 on, refresh token, account and metadata, but no resource token, are also in MSAL's format")
  func bothFormats() async throws {
    try await group.adal("mail").signIn(TestUser.anna.adalResponse())
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken) == ["rt-1"])
    #expect(document.secrets(.accessToken).isEmpty && document.secrets(.idToken).isEmpty)
    #expect(document.accounts.map(\.username) == ["anna@contoso.com"])
    #expect(document.appMetadata.map(\.clientID) == [SharedGroup.suite])
    #expect(document.metadata.apps(.signedIn) == ["com.contoso.mail"])
    #expect(
      try await group.legacyItems(.multiResourceRefreshToken).first?.homeAccountID == TestUser.anna.identifier
    )
  }

  @Test("Before 2.7 ADAL does not store the account's identifier, which its object ID and tenant tell")
  func withoutIdentifier() async throws {
    let result = try await group.adal("mail", .ownFormat).signIn(TestUser.anna.adalResponse())
    #expect(result.user?.homeAccountID == nil)
    #expect(try await group.legacyItems().allSatisfy { $0.homeAccountID == nil })
    #expect(try await group.app("calendar").account()?.identifier == TestUser.anna.identifier)
  }

  @Test("A family's refresh token is also in MSAL's family record")
  func family() async throws {
    try await group.adal("mail").signIn(TestUser.anna.adalResponse(family: "1"))
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("Responses without client_info, before 2.7, or from AD FS are stored in ADAL's format only")
  func ownFormatOnly() async throws {
    try await group.adal("a").signIn(TestUser.anna.adalResponse(hasClientInfo: false))
    try await group.adal("b", .ownFormat).signIn(TestUser.anna.adalResponse())
    try await group.adal("c").signIn(TestUser.anna.adalResponse(changing: ["resource": .null]))
    #expect(try await group.document() == nil)
  }

  @Test("A second sign-in replaces the first")
  func replaces() async throws {
    let mail = try group.adal("mail")
    try await mail.signIn(TestUser.anna.adalResponse(1))
    try await mail.signIn(TestUser.anna.adalResponse(2))
    #expect(try await group.legacyItems(.accessToken).map(\.accessToken) == ["at-2"])
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("If the write in MSAL's format fails, the sign-in succeeds and its result has the error")
  func secondFormatFails() async throws {
    var backend = WatchedBackend(inner: group.backend)
    backend.beforeUpdate = { key in
      if key.kind != .legacy { throw SecretStoreError(.storageFailed, "The disk is full.") }
    }
    let result = try await group.adal("mail", through: backend).signIn(TestUser.anna.adalResponse())
    #expect(result.saveError?.code == .storageFailed && result.accessToken == "at-1")
    #expect(try await group.legacyItems().count == 2)
  }

  @Test("A response with a reserved resource or without an access token is refused and stores nothing")
  func refused() async throws {
    let mail = try group.adal("mail")
    for resource in ["", " ", "two words", "quo\"te", "a\nb"] {
      let error = await #expect(throws: SecretStoreError.self) {
        try await mail.signIn(TestUser.anna.adalResponse(), resource: resource)
      }
      #expect(error?.code == .invalidArgument)
    }
    let error = await #expect(throws: SecretStoreError.self) {
      try await mail.signIn(TestUser.anna.adalResponse(changing: ["access_token": .null]))
    }
    #expect(error?.code == .invalidResponse)
    #expect(try await group.stored().isEmpty)
  }
}
