// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

@Suite("Variant")
struct VariantTests {
  @Test("Text with a zero byte is no variant, since C would truncate it")
  func zero() {
    let text = "client-one\u{0}x"
    let attempts: [() throws -> Variant] = [
      { try .string(text) }, { try .strings(["client_id": text]) }, { try .strings([text: "a"]) },
      { try .properties([(text, .boolean(true))]) },
    ]
    for attempt in attempts {
      #expect(throws: BusError.invalidValue) { _ = try attempt() }
    }
  }

  @Test(
    "Text that is no object path is no variant", arguments: ["", "a", "/a/", "//", "/a b", "/ä", "/a\u{0}b"])
  func paths(_ text: String) { #expect(ObjectPath(text) == nil) }
}
