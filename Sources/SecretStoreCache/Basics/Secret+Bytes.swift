// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension Secret {
  /// Whether the secret is empty, which means that nothing is stored.
  package var isEmpty: Bool { count == 0 }

  /// The secret parsed as a document; `nil` when it is not one.
  package var document: CacheDocument? { read { try? CacheDocument(stored: $0) } }

  /// The secret and a line feed.
  var line: Secret {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 1)
    withBytes { span in unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) } }
    bytes.append(UInt8(ascii: "\n"))
    return Secret(wiping: &bytes)
  }

  /// Passes a copy of the bytes to `body` and wipes the copy afterwards.
  package func read<Outcome, Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    var bytes = withBytes { span in unsafe span.withUnsafeBufferPointer { unsafe Array($0) } }
    defer { bytes.wipe() }
    return try body(bytes)
  }

  /// Creates a secret from bytes and wipes the original bytes.
  init(wiping bytes: inout [UInt8]) {
    self.init(bytes)
    bytes.wipe()
  }
}
