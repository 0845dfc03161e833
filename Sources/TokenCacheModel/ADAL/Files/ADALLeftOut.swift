// SPDX-License-Identifier: MIT

/// An entry of a file that was not read as tokens, and why.
///
/// It holds nothing of the entry.
public struct ADALLeftOut: Sendable, Hashable {
  /// The kinds of reason.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The place of a token that was removed.
    case tombstone
    /// A service principal's secret or certificate, which is no token.
    case servicePrincipal = "service_principal"
    /// A broker's token for the whole device, which no app may redeem.
    case primaryRefreshToken = "primary_refresh_token"
    /// An entry that can't be read; without leave to skip it, the whole file is refused.
    case invalid
  }

  /// The entry's position in the file, from 0.
  public let index: Int

  /// Why it was left out.
  public let reason: Reason

  /// What is wrong with an invalid entry, as the end of a sentence that begins with the entry.
  public let detail: String?
}
