// SPDX-License-Identifier: MIT

import Glibc

/// The key of a keyring: kept out of swap where the system allows it, and wiped when it is let go.
@safe
final class KeyBuffer {
  /// The largest key, in bytes; it fits into a pipe, whoever reads it and when.
  static let maximumBytes = 4_096

  /// One byte more, which tells a key that is too long.
  private let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: maximumBytes + 1)
  private(set) var count = 0

  init() {
    unsafe memory.initialize(repeating: 0, count: Self.maximumBytes + 1)
    unsafe mlock(memory, Self.maximumBytes + 1)
  }

  /// Forgets the key.
  func wipe() {
    unsafe explicit_bzero(memory, Self.maximumBytes + 1)
    count = 0
  }

  deinit {
    wipe()
    unsafe munlock(memory, Self.maximumBytes + 1)
    unsafe memory.deallocate()
  }

  /// Reads on from a file.
  ///
  /// - Parameter limit: How many bytes at most.
  /// - Returns: The last byte that was read; `nil` at the end of the file.
  func read(from file: Int32, atMost limit: Int = .max) throws(HeadlessFailure) -> UInt8? {
    let got = unsafe Glibc.read(file, memory + count, min(Self.maximumBytes + 1 - count, limit))
    if got < 0 {
      if errno == EINTR || errno == EAGAIN { return 0 }
      throw .storage(
        "The key can't be read: \(HeadlessFailure.text(ofError: errno)).",
        remedy: "Check where it comes from.")
    }
    guard got > 0 else { return nil }
    count += got
    guard count <= Self.maximumBytes else {
      throw .unsuitableKey(
        "The key has more than \(Self.maximumBytes) bytes.",
        remedy: "Give a key, not a file of some other kind.")
    }
    return unsafe memory[count - 1]
  }

  /// Leaves out one line feed at the end, which is how a line ends and no part of the key.
  func dropLineFeed() {
    if unsafe count > 0 && memory[count - 1] == UInt8(ascii: "\n") { count -= 1 }
  }

  /// Refuses what a keyring can't be locked with.
  func check() throws(HeadlessFailure) {
    guard count > 0 else {
      throw .unsuitableKey(
        "The key is empty: the keyring would be in clear.", remedy: "Give a key with at least one character.")
    }
    guard unsafe memchr(memory, 0, count) == nil else {
      throw .unsuitableKey(
        "The key has a zero byte, at which gnome-keyring would end it.",
        remedy: "Make the key text, for example with base64.")
    }
  }

  /// Whether another key is the same.
  func isSame(as other: KeyBuffer) -> Bool {
    unsafe count == other.count && memcmp(memory, other.memory, count) == 0
  }

  /// A pipe that holds the key, for one reader.
  ///
  /// - Returns: The end to read from, which is the caller's to close.
  func pipe() throws(HeadlessFailure) -> Int32 {
    let ends = try Pipe()
    defer { close(ends.input) }
    guard unsafe write(ends.input, memory, count) == count else {
      close(ends.output)
      throw .storage("The key can't be handed on.", remedy: "Try again.")
    }
    return ends.output
  }
}

extension KeyBuffer: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  var description: String { "KeyBuffer(redacted)" }

  /// Shows nothing.
  var customMirror: Mirror { Mirror(self, children: []) }
}
