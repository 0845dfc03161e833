// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheModel

@Suite("Secret")
struct SecretTests {
  @Test("Text and bytes are returned unchanged", arguments: ["", "hunter2", "schön 🐎", "a\u{0}b"])
  func text(_ text: String) {
    let secret = Secret(text)
    #expect(secret.text == text)
    #expect(Array(secret.data) == Array(text.utf8))
    #expect(secret.count == text.utf8.count)
    #expect(secret.withBytes { $0.count } == text.utf8.count)
    #expect(secret == Secret(Array(text.utf8)))
    #expect(secret != Secret(text + "x"))
  }

  @Test("Bytes that are no UTF-8 have no text")
  func bytes() {
    let secret = Secret([0xFF, 0x00, 0x80])
    #expect(secret.text == nil)
    #expect(Array(secret.data) == [0xFF, 0x00, 0x80])
  }

  @Test("No description shows its content")
  func redacted() {
    for text in RedactionProbe.texts(of: Secret("hunter2"))
      + RedactionProbe.texts(of: ["a": Secret("hunter2")])
    {
      #expect(!text.contains("hunter2"))
      #expect(!text.contains("104"))
    }
  }
}
