// SPDX-License-Identifier: MIT

import Glibc

/// A null-terminated C array of C strings.
@safe
final class CStrings {
  let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    unsafe pointer = .allocate(capacity: count + 1)
    for (index, text) in texts.enumerated() {
      unsafe (pointer + index).initialize(to: strdup(text))
    }
    unsafe (pointer + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe free(pointer[index]) }
    unsafe pointer.deallocate()
  }
}
