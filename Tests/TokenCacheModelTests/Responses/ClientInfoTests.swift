// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("client_info")
struct ClientInfoTests {
  @Test("uid and utid are read from base64url-encoded JSON, padded or not")
  func reads() throws {
    for text in ["eyJ1aWQiOiJ1aWQiLCAidXRpZCI6InV0aWQifQ==", "eyJ1aWQiOiJ1aWQiLCAidXRpZCI6InV0aWQifQ"] {
      let info = try ClientInfo(encoded: text)
      #expect(info.uid == "uid")
      #expect(info.utid == "utid")
      #expect(info.homeAccountID == "uid.utid")
    }
  }

  @Test("The URL-safe alphabet is read")
  func alphabet() throws {
    let text = JSONValue.object(["uid": "??>>~~ÿÿ", "utid": "u"]).base64URL
    #expect(text.contains("-") || text.contains("_"))
    #expect(try ClientInfo(encoded: text).uid == "??>>~~ÿÿ")
  }

  @Test("The home account ID is in lower case")
  func lowerCase() throws {
    let text = JSONValue.object(["uid": "UID-B2C_1_SignIn", "utid": "Utid"]).base64URL
    #expect(try ClientInfo(encoded: text).homeAccountID == "uid-b2c_1_signin.utid")
  }

  @Test("Other members are ignored")
  func otherMembers() throws {
    let text = JSONValue.object(["uid": "a", "utid": "b", "xms_cc": ["x"], "name": .null]).base64URL
    #expect(try ClientInfo(encoded: text).homeAccountID == "a.b")
  }

  @Test(
    "Text that is no such object throws invalidResponse",
    arguments: [
      "", "=", "====", "!", "not base64!", "a", "e30", "e30=", "bnVsbA", "W10", Array("{".utf8).base64URL,
      JSONValue.object(["uid": "a"]).base64URL,
      JSONValue.object(["utid": "a"]).base64URL,
      JSONValue.object(["uid": "", "utid": "a"]).base64URL,
      JSONValue.object(["uid": "a", "utid": ""]).base64URL,
      JSONValue.object(["uid": 1, "utid": "a"]).base64URL,
      JSONValue.object(["uid": "a", "utid": .null]).base64URL,
      Array(#"{"uid":"a","uid":"b","utid":"c"}"#.utf8).base64URL,
      #"{"uid":"a","utid":"b"}"#,
      [0xFF, 0xFE].base64URL,
    ])
  func refused(_ text: String) {
    #expect(throws: SecretStoreError(.invalidResponse, "")) { try ClientInfo(encoded: text) }
  }
}
