// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Document metadata")
struct DocumentMetadataTests {
  @Test("Each app has its own state")
  func apps() throws {
    let mail = try AppIdentifier("com.contoso.mail")
    let calendar = try AppIdentifier("com.contoso.calendar")
    var state = DocumentMetadata()
    #expect(state[mail] == nil)
    state[mail] = .signedIn
    state[calendar] = .signedOut
    #expect(state[mail] == .signedIn)
    #expect(state[calendar] == .signedOut)
    #expect(state.apps(.signedIn) == ["com.contoso.mail"])
    #expect(state.apps(.signedOut) == ["com.contoso.calendar"])
    state.signOutAllApps()
    #expect(state.apps(.signedIn).isEmpty)
    #expect(state.apps(.signedOut).sorted() == ["com.contoso.calendar", "com.contoso.mail"])
  }

  @Test("States and members of a later version survive")
  func unknown() throws {
    let text = #"{"SecretStoreCache":{"apps":{"a":"asleep","b":"signed_in","c":5},"x":[1],"revision":"7"}}"#
    var document = try CacheDocument(parsing: Array(text.utf8))
    #expect(document.metadata[try AppIdentifier("a")] == nil)
    #expect(document.metadata[try AppIdentifier("c")] == nil)
    #expect(document.metadata.revision == 7)
    document.metadata[try AppIdentifier("b")] = .signedOut
    document.metadata.signOutAllApps()
    let written = String(decoding: document.serialized(), as: UTF8.self)
    #expect(written == text.replacing("signed_in", with: "signed_out"))
  }

  @Test(
    "Members of another type count as absent",
    arguments: [
      #"{"apps":[],"signOutNumber":[],"revision":{},"record":1}"#,
      #"{"apps":"x","signOutNumber":"y","revision":"z","record":[]}"#,
      #"{"apps":null,"signOutNumber":1.5,"revision":1e2,"record":{}}"#, #"{"record":{"kind":"new"}}"#, "{}",
      #"{"signOutNumber":99999999999999999999}"#,
    ])
  func wrongTypes(_ section: String) throws {
    let document = try CacheDocument(parsing: Array("{\"SecretStoreCache\":\(section)}".utf8))
    #expect(document.metadata.signOutNumber == 0)
    #expect(document.metadata.revision == 0)
    #expect(document.metadata.record == nil)
    #expect(document.metadata.apps(.signedIn).isEmpty)
    #expect(document.metadata[try AppIdentifier("a")] == nil)
  }

  @Test("A counter at its highest number goes on from 1")
  func counters() {
    for counter in [\DocumentMetadata.revision, \.signOutNumber, \.removalCount] {
      var metadata = DocumentMetadata()
      metadata[keyPath: counter] = DocumentMetadata.highestRevision
      #expect(metadata[keyPath: counter] == DocumentMetadata.highestRevision)
      metadata[keyPath: counter] += 1
      #expect(metadata[keyPath: counter] == 1)
    }
  }

  @Test("The record key of the document is stored in full", arguments: RecordKind.allCases)
  func record(_ kind: RecordKind) throws {
    let key = RecordKey(
      kind: kind, account: Digest.hex("a"), environment: "e", clientID: "c", familyID: "1", key: "k"
    ).canonical
    for key in [key, RecordKey(kind: kind)] {
      var document = CacheDocument()
      document.metadata.record = key
      #expect(try CacheDocument(parsing: document.serialized()).metadata.record == key)
      document.metadata.record = nil
      #expect(document.metadata.record == nil)
    }
  }

  @Test(
    "An invalid count reads as zero, and counting continues from it",
    arguments: ["9223372036854775807", "-1", "1e300", "\"9223372036854775807\"", "null", "{}"])
  func absurdCounts(count: String) throws {
    let json = #"{"SecretStoreCache":{"revision":\#(count),"signOutNumber":\#(count)}}"#
    var document = try CacheDocument(parsing: Array(json.utf8))
    document.metadata.signOutNumber += 1
    document.metadata.revision += 1
    #expect(document.metadata.signOutNumber == 1)
    #expect(document.metadata.revision == 1)
  }
}
