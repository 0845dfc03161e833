// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Sharing state")
struct SharingStateTests {
  @Test("Each app has a state of its own")
  func apps() throws {
    let mail = try AppIdentifier("com.contoso.mail")
    let calendar = try AppIdentifier("com.contoso.calendar")
    var state = SharingState()
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

  @Test("States and members that a later version wrote survive")
  func unknown() throws {
    let text = #"{"SecretStoreCache":{"apps":{"a":"asleep","b":"signed_in","c":5},"x":[1],"revision":"7"}}"#
    var document = try CacheDocument(parsing: Array(text.utf8))
    #expect(document.sharing[try AppIdentifier("a")] == nil)
    #expect(document.sharing[try AppIdentifier("c")] == nil)
    #expect(document.sharing.revision == 7)
    document.sharing[try AppIdentifier("b")] = .signedOut
    document.sharing.signOutAllApps()
    let written = String(decoding: document.serialized(), as: UTF8.self)
    #expect(written == text.replacing("signed_in", with: "signed_out"))
  }

  @Test(
    "Members of another type count as absent",
    arguments: [
      #"{"apps":[],"epoch":[],"revision":{},"record":1}"#,
      #"{"apps":"x","epoch":"y","revision":"z","record":[]}"#,
      #"{"apps":null,"epoch":1.5,"revision":1e2,"record":{}}"#, #"{"record":{"kind":"new"}}"#, "{}",
      #"{"epoch":99999999999999999999}"#,
    ]
  )
  func wrongTypes(_ section: String) throws {
    let document = try CacheDocument(parsing: Array("{\"SecretStoreCache\":\(section)}".utf8))
    #expect(document.sharing.epoch == 0)
    #expect(document.sharing.revision == 0)
    #expect(document.sharing.record == nil)
    #expect(document.sharing.apps(.signedIn).isEmpty)
    #expect(document.sharing[try AppIdentifier("a")] == nil)
  }

  @Test("The record it was written as is kept whole", arguments: RecordKind.allCases)
  func record(_ kind: RecordKind) throws {
    let key = RecordKey(
      kind: kind, account: "a", environment: "e", clientID: "c", familyID: "1", key: "k")
    for key in [key, RecordKey(kind: kind)] {
      var document = CacheDocument()
      document.sharing.record = key
      #expect(try CacheDocument(parsing: document.serialized()).sharing.record == key)
      document.sharing.record = nil
      #expect(document.sharing.record == nil)
    }
  }

  @Test(
    "A count that nobody counted up to is none, and counting goes on",
    arguments: ["9223372036854775807", "-1", "1e300", "\"9223372036854775807\"", "null", "{}"])
  func absurdCounts(count: String) throws {
    let json = #"{"SecretStoreCache":{"revision":\#(count),"epoch":\#(count)}}"#
    var document = try CacheDocument(parsing: Array(json.utf8))
    document.sharing.epoch += 1
    document.sharing.revision += 1
    #expect(document.sharing.epoch == 1)
    #expect(document.sharing.revision == 1)
  }
}
