// SPDX-License-Identifier: MIT

import Glibc

extension [UInt8] {
  /// Overwrites what is in it, so that nothing of it is left where it was.
  ///
  /// Only an array that nobody else holds is wiped: another holder's is their own from here on.
  package mutating func wipe() {
    unsafe withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
    }
  }
}
