// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// What an export writes of entries at an issuer, an import reads unchanged.
@Suite("Export: issuers")
struct ExportIssuerTests {
  private static let red = "https://id.contoso.com/red"
  private static let blue = "https://id.contoso.com/blue"
  private static let host = "id.contoso.com"

  private let group = SharedGroup()
  private let ada = TestUser(uid: "", utid: "", username: "ada@contoso.com")
  private let bob = TestUser(uid: "", utid: "", username: "bob@contoso.com")

  private func app(_ authority: String) throws -> TokenCache { try group.app("mail", authority: authority) }

  private func export(of group: SharedGroup) async throws -> (document: CacheDocument, skipped: Int) {
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    return (try CacheDocument(parsing: export.json), export.skippedByPeers)
  }

  private func take(_ document: CacheDocument, into group: SharedGroup) async throws {
    _ = try await CacheTransfer(backend: group.backend).importUnified(document.serialized())
  }

  @Test("An export has entries under the host with their issuer beside them, and imports unchanged")
  func roundTrip() async throws {
    try await app(Self.red).signIn(ada.openIDResponse(1, subject: "1001", issuer: Self.red))
    try await app(Self.blue).signIn(bob.openIDResponse(2, subject: "1002"))
    try await group.app("mail").signIn(TestUser.anna.response(3))
    let (document, skipped) = try await export(of: group)
    #expect(skipped == 0)
    for entry in document.credentials where entry.secret.hasSuffix("-1") {
      #expect(entry.environment == Self.host)
      #expect(entry.fields["issuer"] == .string(Self.red))
      #expect(entry.key.contains("-id.contoso.com-"))
    }
    #expect(
      !document.credentials.contains { $0.environment.contains("windows") && $0.fields["issuer"] != nil })
    let other = SharedGroup()
    try await take(document, into: other)
    #expect(try await Set(other.stored().keys).isSuperset(of: group.stored().keys))
    for (key, bytes) in try await group.stored() {
      let there = try #require(try await other.backend.record(for: key)?.document())
      #expect(
        try there.credentials.map(\.secret).sorted()
          == CacheDocument(parsing: bytes).credentials.map(\.secret).sorted())
      #expect(!there.credentials.contains { $0.fields["issuer"] != nil })
    }
    let again = try await export(of: other).document
    #expect(again.credentials.map(\.secret).sorted() == document.credentials.map(\.secret).sorted())
  }

  @Test("Accounts that a peer would merge are exported under their issuers, counted, and imported again")
  func mistakable() async throws {
    let issuers = [Self.red, "https://id.contoso.com/Red", Self.blue, "https://id.contoso.com:8443/red"]
    for (number, issuer) in issuers.enumerated() {
      try await app(issuer).signIn(ada.openIDResponse(number, subject: "1001"))
    }
    let (document, skipped) = try await export(of: group)
    #expect(skipped == 12)
    #expect(document.secrets(.refreshToken) == ["rt-0", "rt-1", "rt-2", "rt-3"])
    #expect(Set(document.credentials.map(\.environment)) == Set(issuers))
    let other = SharedGroup()
    try await take(document, into: other)
    #expect(
      Set(try await AccountDirectory(backend: other.backend).accounts().map(\.environment)) == Set(issuers))
  }

  @Test("App metadata at an issuer are exported and imported for it, and separately for several issuers")
  func metadata() async throws {
    for issuers in [[Self.red], [Self.red, Self.blue, "https://id.contoso.com:8443/red"]] {
      let (group, other) = (SharedGroup(), SharedGroup())
      for issuer in issuers {
        try await group.backend.update(.client(SharedGroup.suite, environment: issuer)) { stored in
          var document = CacheDocument()
          document.put(AppMetadataEntry(clientID: SharedGroup.suite, environment: issuer, familyID: nil))
          stored = document
        }
      }
      let exported = try await export(of: group).document
      for target in [group, other] {
        try await take(exported, into: target)
        #expect(
          try await Set(target.stored().keys)
            == Set(issuers.map { .client(SharedGroup.suite, environment: $0) }))
      }
    }
  }
}
