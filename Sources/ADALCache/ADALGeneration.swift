// SPDX-License-Identifier: MIT

/// The cache formats that an app's version of ADAL reads and writes.
public enum ADALGeneration: Sendable, Hashable, CaseIterable {
  /// ADAL 2.0 to 2.6 for iOS: reads and writes its own format only.
  case ownFormat
  /// ADAL 2.7 and later: also writes the refresh token, the account and the client's metadata in MSAL's format. It
  /// reads MSAL's refresh tokens when its own format has none.
  case bothFormats
}
