// SPDX-License-Identifier: MIT

import FoundationEssentials
import Synchronization
import TokenCacheModel

/// A clock that stands still until it is told to go on.
final class TestClock: WallClock {
  /// When every test begins: the 14th of November 2023.
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private let time = Mutex(TestClock.start)

  func now() -> Date { time.withLock { $0 } }

  func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
