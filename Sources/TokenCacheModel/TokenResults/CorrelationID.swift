// SPDX-License-Identifier: MIT

import FoundationEssentials
import UnifiedCache

/// The IDs of calls, random UUIDs.
///
/// `UUID()` asks the kernel for random bytes each time, which takes longer than a look-up in the record cache. An ID
/// must be unique and not secret, so the kernel gives the seed only.
enum CorrelationID {
  /// SplitMix64 (Steele, Lea and Flood, 2014).
  private struct Generator: RandomNumberGenerator {
    var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  private static let generator = Locked(Generator())

  /// Returns a new ID.
  static func next() -> UUID {
    var (high, low) = generator.withLock { ($0.next(), $0.next()) }
    // Version 4, random, of RFC 9562.
    (high, low) = ((high & ~0xF000) | 0x4000, (low & ~(0b11 << 62)) | (0b10 << 62))
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
        byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}
