// SPDX-License-Identifier: MIT

import AccountsModel
import Testing

@Suite("Plain text")
struct PlainTextTests {
  @Test(
    "A name becomes one line that shows what it holds",
    arguments: [
      ("Ada Lovelace", "Ada Lovelace"),
      ("<b>Ada</b> &amp;", "<b>Ada</b> &amp;"),
      ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"),
      ("a\nb\u{2028}c\u{2029}d\0e", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e"),
      ("\u{202E}moc.osotnoc@ada", "\u{FFFD}moc.osotnoc@ada"),
      ("a\u{2066}b\u{200F}c\u{FEFF}d\u{AD}e\u{E0041}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}"),
      ("می\u{200C}خواهم", "می\u{200C}خواهم"),
      ("👩\u{200D}💻", "👩\u{200D}💻"),
      ("", ""),
    ])
  func plain(text: String, shown: String) { #expect(text.plainText == shown) }

  @Test("A long name is cut, also one of combining marks alone")
  func long() {
    for text in [String(repeating: "x", count: 100_000), "a" + String(repeating: "\u{301}", count: 100_000)] {
      #expect(text.plainText.unicodeScalars.count == 201)
      #expect(text.plainText.hasSuffix("…"))
    }
  }

  @Test("A name in a sentence can't change the direction of the rest")
  func isolated() {
    #expect("\u{202E}\u{2069}ada".inSentence == "\u{2068}\u{FFFD}\u{FFFD}ada\u{2069}")
  }
}
