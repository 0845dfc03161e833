// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// One of the copies of an account that the records of several clients hold.
///
/// A user name can change. Lists, exports and look-ups all take the copy that precedes the others.
package struct DatedAccount: Sendable {
  package let entry: AccountEntry
  /// The time when the newest token beside the copy was stored.
  package let date: Date

  package init(entry: AccountEntry, date: Date) {
    self.entry = entry
    self.date = date
  }

  /// Returns whether this copy counts before another one of the same tenant: it has a user name, and is the newer one.
  package func precedes(_ other: DatedAccount) -> Bool {
    if entry.username.isEmpty != other.entry.username.isEmpty { return other.entry.username.isEmpty }
    if date != other.date { return date > other.date }
    return entry.username.utf8.lexicographicallyPrecedes(other.entry.username.utf8)
  }
}
