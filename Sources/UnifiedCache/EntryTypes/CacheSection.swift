// SPDX-License-Identifier: MIT

/// A section of a unified cache document, by its name in all MSALs except Apple's.
package enum CacheSection: String, CaseIterable {
  case accessToken = "AccessToken"
  case refreshToken = "RefreshToken"
  case idToken = "IdToken"
  case account = "Account"
  case appMetadata = "AppMetadata"

  static let credentials: [CacheSection] = [.accessToken, .refreshToken, .idToken]
}
