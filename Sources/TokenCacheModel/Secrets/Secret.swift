// SPDX-License-Identifier: MIT

import Crypto
public import FoundationEssentials

/// A secret in memory: shown by nothing, compared in constant time, and wiped when the last reference goes.
///
/// ```swift
/// let password = Secret("correct horse")
/// print(password)               // Secret(redacted)
/// try password.withBytes { … }  // the bytes, without a copy
/// ```
///
/// What is wiped is this value's own memory. ``text`` and ``data`` make copies that Swift's strings and collections
/// keep as they like, and what a secret was made of is the caller's.
public struct Secret: Sendable, Equatable {
  /// The largest secret that is kept, in bytes.
  public static let maximumBytes = 1_048_576

  /// Swift Crypto's keys wipe their memory, and are compared in constant time.
  private let key: SymmetricKey

  /// Makes a secret of bytes, which may be none.
  public init(_ bytes: some Sequence<UInt8>) {
    let key = bytes.withContiguousStorageIfAvailable {
      unsafe SymmetricKey(data: UnsafeRawBufferPointer($0))
    }
    if let key {
      self.key = key
    } else {
      var copy = Array(bytes)
      self.key = SymmetricKey(data: copy)
      copy.wipe()
    }
  }

  /// Makes a secret of a text's UTF-8.
  public init(_ text: String) { self.init(text.utf8) }

  /// How many bytes it has.
  public var count: Int { key.bitCount / 8 }

  /// Reads the bytes where they are; the span ends with the call.
  public func withBytes<Outcome>(_ body: (Span<UInt8>) throws -> Outcome) rethrows -> Outcome {
    try unsafe key.withUnsafeBytes { try body(unsafe Span(_unsafeBytes: $0)) }
  }

  /// A copy of the bytes.
  public var data: Data { unsafe key.withUnsafeBytes { unsafe Data($0) } }

  /// A copy as text; `nil` when the bytes are not UTF-8.
  public var text: String? { String(validating: data, as: UTF8.self) }
}

extension Secret: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "Secret(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
