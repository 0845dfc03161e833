// SPDX-License-Identifier: MIT

import FoundationEssentials
import TokenCacheModel

/// A clock with a constant time.
struct FixedClock: WallClock {
  /// Returns a time in 2023, which is close to the times in the samples.
  func now() -> Date { Date(timeIntervalSince1970: 1_700_000_000) }
}
