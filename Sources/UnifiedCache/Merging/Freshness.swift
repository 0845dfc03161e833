// SPDX-License-Identifier: MIT

package import FoundationEssentials
import StrictJSON

/// Decides which of two tokens is newer, by the dates in the entries only.
///
/// A date that can't be right counts as unknown, such as a date in the future or at 0. A token without a date replaces
/// no other token, and any token with a date replaces it.
package struct Freshness {
  /// The tolerance for dates in the future, in seconds, because clocks differ slightly.
  private static let tolerance: TimeInterval = 10

  let now: Date

  package init(now: Date) {
    self.now = now
  }

  /// Returns a date if it is plausible, else `nil`.
  func plausible(_ date: Date?) -> Date? {
    guard let date, date.timeIntervalSince1970 >= 1, date <= now + Self.tolerance else { return nil }
    return date
  }

  /// Returns when a credential was stored, changed or issued, as the entry says.
  package func date(of credential: CredentialEntry) -> Date? {
    if let date = [credential.modifiedAt, credential.cachedAt].compactMap(plausible).first { return date }
    guard credential.kind.section == .idToken, let token = try? IDTokenClaims(token: credential.secret) else {
      return nil
    }
    return plausible(UnixTime.date(token.claims["iat"]))
  }

  /// Returns whether a date is known and is later than another one.
  ///
  /// Any known date is later than an unknown one.
  package func isNewer(_ date: Date?, than other: Date?) -> Bool {
    guard let date else { return false }
    return other.map { date > $0 } ?? true
  }

  /// Returns whether an ADAL item is newer than another one.
  ///
  /// If neither has a time of its response, their expiry times are compared.
  package func isNewer(_ token: ADALToken, than other: ADALToken) -> Bool {
    if let date = plausible(token.cachedAt), let others = plausible(other.cachedAt) { return date > others }
    if plausible(token.cachedAt) == nil, plausible(other.cachedAt) == nil {
      return isNewer(expiry(of: token), than: expiry(of: other))
    }
    return isNewer(issued(token), than: issued(other))
  }

  /// Returns the time of an item's response, or an estimate.
  ///
  /// An item with an expiry time only is taken to be an hour older than that, the lifetime that Azure AD gives.
  private func issued(_ token: ADALToken) -> Date? {
    plausible(token.cachedAt) ?? expiry(of: token).map { min($0 - 3600, now) }
  }

  private func expiry(of token: ADALToken) -> Date? {
    guard let expiry = token.expiresOn, expiry.timeIntervalSince1970 >= 1,
      expiry <= now + TimeInterval(TokenResponse.maximumLifetime)
    else { return nil }
    return expiry
  }
}
