// SPDX-License-Identifier: MIT

import Glibc

/// A growing input buffer whose memory is erased when it is released or replaced by a larger one.
@safe
final class InputBuffer {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private(set) var count = 0

  /// Reads more bytes from a file.
  ///
  /// - Returns: The number of bytes read; 0 at the end of the file, negative when the file can't be read.
  func read(from file: Int32) -> Int {
    if unsafe count == memory.count { grow() }
    let destination = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    let got = unsafe Glibc.read(file, destination.baseAddress, destination.count)
    count += max(0, got)
    return got
  }

  private func grow() {
    let larger = unsafe UnsafeMutableRawBufferPointer.allocate(byteCount: memory.count * 2, alignment: 16)
    unsafe larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    forget()
    unsafe memory = larger
  }

  private func forget() {
    if let start = unsafe memory.baseAddress { unsafe explicit_bzero(start, memory.count) }
    unsafe memory.deallocate()
  }

  /// Gives access to the bytes.
  func withBytes<Output>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Output) rethrows -> Output {
    try unsafe body(UnsafeRawBufferPointer(rebasing: memory[..<count]).bindMemory(to: UInt8.self))
  }

  deinit { forget() }
}
