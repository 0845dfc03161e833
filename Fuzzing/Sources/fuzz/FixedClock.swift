// SPDX-License-Identifier: MIT

import FoundationEssentials
import TokenCacheModel

/// A time of day that is always the same.
struct FixedClock: WallClock {
  /// The moment in 2023 around which the times in the samples lie.
  func now() -> Date { Date(timeIntervalSince1970: 1_700_000_000) }
}
