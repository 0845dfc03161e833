// SPDX-License-Identifier: MIT

public import FoundationEssentials
import Glibc

/// A secret in memory, which is never printed, is compared in constant time, and is wiped with its last reference.
///
/// ```swift
/// let password = Secret("correct horse")
/// print(password)                                // Secret(redacted)
/// password.withBytes { bytes in digest(bytes) }  // the bytes, without a copy
/// ```
///
/// Only this value's own memory is wiped. ``text`` and ``data`` make copies in Swift's strings and collections, which
/// are not wiped. The caller is responsible for the bytes or text that the secret was created from.
public struct Secret: Sendable, Equatable {
  /// The size of the largest secret that can be stored, in bytes.
  public static let maximumBytes = 1_048_576

  private let memory: SecretMemory

  /// Creates a secret from bytes, which may be empty.
  public init(_ bytes: some Sequence<UInt8>) {
    let memory = bytes.withContiguousStorageIfAvailable { unsafe SecretMemory(UnsafeRawBufferPointer($0)) }
    if let memory {
      self.memory = memory
    } else {
      var copy = Array(bytes)
      self.memory = unsafe copy.withUnsafeBytes { unsafe SecretMemory($0) }
      copy.wipe()
    }
  }

  /// Creates a secret from the UTF-8 of a text.
  public init(_ text: String) { self.init(text.utf8) }

  /// The number of bytes.
  public var count: Int { unsafe memory.bytes.count }

  /// Calls a closure with the bytes, without a copy; the span is valid during the call only.
  public func withBytes<Outcome>(_ body: (Span<UInt8>) throws -> Outcome) rethrows -> Outcome {
    try unsafe body(Span(_unsafeBytes: UnsafeRawBufferPointer(memory.bytes)))
  }

  /// A copy of the bytes.
  public var data: Data { unsafe Data(memory.bytes) }

  /// A copy as text; `nil` when the bytes are not valid UTF-8.
  public var text: String? { String(validating: data, as: UTF8.self) }
}

/// The memory of a secret, which is wiped when the last reference is released.
@safe
private final class SecretMemory: Sendable {
  nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  init(_ content: UnsafeRawBufferPointer) {
    unsafe bytes = .allocate(byteCount: content.count, alignment: 1)
    unsafe bytes.copyMemory(from: content)
  }

  deinit {
    if let start = unsafe bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
    unsafe bytes.deallocate()
  }
}

extension Secret {
  /// Compares in a time that depends on the numbers of bytes only.
  public static func == (first: Secret, second: Secret) -> Bool {
    let (first, second) = unsafe (first.memory.bytes, second.memory.bytes)
    guard first.count == second.count else { return false }
    var difference: UInt8 = 0
    for index in first.indices { unsafe difference |= first[index] ^ second[index] }
    return difference == 0
  }
}

extension Secret: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without its content.
  public var description: String { "Secret(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
