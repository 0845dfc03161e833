// SPDX-License-Identifier: MIT

import Glibc

/// The key of a keyring, in memory that is kept out of swap where the system permits it and erased on release.
@safe
package final class KeyBuffer {
  /// The maximum length of a key, in bytes.
  ///
  /// Such a key fits into a pipe, so writing it does not block.
  static let maximumBytes = 4_096

  /// The size of the memory.
  ///
  /// There is room for a line feed, and for one byte more, to detect a key that is too long. The memory consists of
  /// whole pages that are shared with nothing else: to unlock another object on the same page would also unlock the
  /// key.
  private static let size = maximumBytes + Int(getpagesize())
  /// The number of bytes that are read at most.
  private static let roomBytes = maximumBytes + 2
  private let memory: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init() throws(HeadlessFailure) {
    let pages = unsafe mmap(
      nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
      throw .storage("There is no memory for the key.", remedy: "End other programs, and try again.")
    }
    unsafe memory = pages.bindMemory(to: UInt8.self, capacity: Self.size)
    unsafe mlock(memory, Self.size)
  }

  /// Gives access to the bytes of the key.
  package func withBytes<Output>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Output) rethrows -> Output {
    try unsafe body(UnsafeBufferPointer(start: memory, count: count))
  }

  /// Erases the key.
  func wipe() {
    unsafe explicit_bzero(memory, Self.roomBytes)
    count = 0
  }

  deinit {
    wipe()
    unsafe munmap(memory, Self.size)
  }

  /// Reads more bytes from a file.
  ///
  /// - Parameter limit: The maximum number of bytes to read.
  /// - Returns: The last byte that was read; 0 when the read was interrupted or would block, `nil` at the end of the
  ///   file.
  func read(from file: Int32, atMost limit: Int = .max) throws(HeadlessFailure) -> UInt8? {
    let got = unsafe Glibc.read(file, memory + count, min(Self.roomBytes - count, limit))
    if got < 0 {
      if errno == EINTR || errno == EAGAIN { return 0 }
      throw .storage(
        "The key can't be read: \(HeadlessFailure.text(ofError: errno)).",
        remedy: "Check where it comes from.")
    }
    guard got > 0 else { return nil }
    count += got
    let last = unsafe memory[count - 1]
    guard count <= Self.maximumBytes || count == Self.maximumBytes + 1 && last == UInt8(ascii: "\n") else {
      throw .unsuitableKey(
        "The key has more than \(Self.maximumBytes) bytes.",
        remedy: "Give a key, not a file of some other kind.")
    }
    return last
  }

  /// Removes one line feed at the end, which ends the input line and is not a part of the key.
  func dropLineFeed() {
    if unsafe count > 0 && memory[count - 1] == UInt8(ascii: "\n") { count -= 1 }
  }

  /// Throws when a keyring can't be locked with the key.
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

  /// Returns whether another key is the same.
  func isSame(as other: KeyBuffer) -> Bool {
    unsafe count == other.count && memcmp(memory, other.memory, count) == 0
  }

  /// Returns a pipe that contains the key, for one reader.
  ///
  /// - Returns: The read end, which the caller must close.
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
  /// The name of the type, without the content.
  package var description: String { "KeyBuffer(redacted)" }

  /// A mirror without children.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
