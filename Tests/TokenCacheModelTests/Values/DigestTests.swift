// SPDX-License-Identifier: MIT

import Testing

@testable import UnifiedCache

@Suite("Digest")
struct DigestTests {
  @Test("The digest is SHA-256 in lower-case hexadecimal")
  func example() {
    #expect(Digest.hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(Digest.hex("schön") == "1a028e829b255703ecd9ade6ac712e048486eecfbf49d89994839481c772937d")
  }

  /// From Python's hashlib.
  ///
  /// The lengths are around those at which the padding takes another block.
  @Test(
    "Texts of every length around a block have the digest of FIPS 180-4",
    arguments: [
      (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
      (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
      (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
      (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
      (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
      (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
      (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
      (1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
  func lengths(count: Int, digest: String) {
    #expect(Digest.hex(String(repeating: "a", count: count)) == digest)
  }
}
