// SPDX-License-Identifier: MIT

import TokenCacheModel

extension Decoder {
  /// Checks a JSON value.
  ///
  /// It must stay the same when it is written, compact and pretty, and read again.
  func checkJSON(_ bytes: [UInt8]) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      expect(0...bytes.count ~= error.offset, "an error lies within the document")
      expectNoSecret(of: bytes, in: error)
      return
    }
    expectNoSecret(of: bytes, in: value)
    let written = value.serialized()
    for text in [written, value.serialized(pretty: true)] {
      let reread = expectNoError("what was written can be read") { try JSONValue(parsing: text) }
      expect(reread == value, "a value that was written and read again is the same")
      expect(reread.hashValue == value.hashValue, "equal values have one hash")
      expect(reread.serialized() == written, "the same value is written in the same way")
    }
  }
}
