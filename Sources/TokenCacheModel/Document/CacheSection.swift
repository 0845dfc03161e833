// SPDX-License-Identifier: MIT

/// The sections of a unified cache document, by the names that every MSAL other than Apple's uses.
enum CacheSection: String, CaseIterable {
  case accessToken = "AccessToken"
  case refreshToken = "RefreshToken"
  case idToken = "IdToken"
  case account = "Account"
  case appMetadata = "AppMetadata"

  static let credentials: [CacheSection] = [.accessToken, .refreshToken, .idToken]
}
