// SPDX-License-Identifier: MIT

/// What an app's ADAL knows of other formats than its own.
public enum ADALGeneration: Sendable, Hashable, CaseIterable {
  /// ADAL 2.0 to 2.6 for iOS: it reads and writes its own format only.
  case ownFormat
  /// ADAL 2.7 and later: it also writes the refresh token, the account and the client's metadata in MSAL's format, and
  /// reads MSAL's refresh tokens when its own format has none.
  case bothFormats
}
