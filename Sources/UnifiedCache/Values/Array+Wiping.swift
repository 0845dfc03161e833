// SPDX-License-Identifier: MIT

import Glibc

extension [UInt8] {
  /// Overwrites the elements with zeros.
  ///
  /// Only an array whose storage is not shared is wiped. Otherwise the other holders keep the bytes.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
    }
  }
}
