// SPDX-License-Identifier: MIT

/// An entry of a file that was left out, and the reason.
///
/// It holds no content of the entry.
package struct ADALLeftOut: Sendable, Hashable {
  /// The reason for leaving out an entry.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The entry is the tombstone of a removed token.
    case tombstone
    /// The entry is a service principal's secret or certificate, not a token.
    case servicePrincipal = "service_principal"
    /// The entry is a broker's token for the whole device, which no app may redeem.
    case primaryRefreshToken = "primary_refresh_token"
    /// The entry can't be read. Unless invalid entries are skipped, the whole file is refused.
    case invalid
  }

  /// The entry's position in the file, from 0.
  package let index: Int

  /// The reason for leaving out the entry.
  package let reason: Reason

  /// The error in an invalid entry, worded as the end of a sentence that begins with the entry.
  package let detail: String?
}
