// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension Secret {
  /// Whether nothing is stored: an empty secret stands for none.
  var isEmpty: Bool { count == 0 }

  /// The document that it is; `nil` when it is none.
  var document: CacheDocument? { read { try? CacheDocument(parsing: $0) } }

  /// Lends the bytes to what reads arrays, and wipes them.
  func read<Outcome, Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    var bytes = withBytes { span in unsafe span.withUnsafeBufferPointer { unsafe Array($0) } }
    defer { bytes.wipe() }
    return try body(bytes)
  }

  /// Takes over bytes, which are wiped where they were.
  init(wiping bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.wipe()
  }
}
