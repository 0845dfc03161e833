// SPDX-License-Identifier: MIT

import FoundationEssentials
import UnifiedCache

/// The token results that were chosen from one record.
///
/// A record value does not change, so a choice is valid as long as the token is fresh. Apps repeat a few calls again
/// and again, and reading the record takes ten times as long as a look-up here.
final class TokenResultCache: Sendable {
  private struct Entry {
    let key: TokenResultCacheKey
    let result: TokenResult
    /// The time in which the token is fresh.
    let times: Range<Date>
  }

  private let entries = Locked<[Entry]>([])

  /// The largest number of results.
  private static let limit = 8

  /// Returns the result for a key if its token is still fresh.
  func result(for key: TokenResultCacheKey, at now: Date) -> TokenResult? {
    entries.withLock { entries in
      entries.first { $0.key == key && $0.times.contains(now) }?.result
    }
  }

  /// Stores a result; it replaces the oldest one when the cache is full.
  func remember(_ result: TokenResult, for key: TokenResultCacheKey, while times: Range<Date>) {
    entries.withLock { entries in
      entries.removeAll { $0.key == key }
      entries = entries.suffix(Self.limit - 1) + [Entry(key: key, result: result, times: times)]
    }
  }
}

extension TokenResultCache: CustomReflectable {
  /// An empty mirror.
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension Record {
  /// The tokens that were chosen from this record.
  var tokenResults: TokenResultCache { derived.value { TokenResultCache() } }
}
