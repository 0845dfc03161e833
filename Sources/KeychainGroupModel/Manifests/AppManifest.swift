// SPDX-License-Identifier: MIT

/// The groups and redirect schemes that a `.desktop` file declares, with the result of the review.
package struct AppManifest: Hashable, Sendable {
  /// The app's ID: the desktop file ID without `.desktop`.
  package let identifier: String

  /// The file's path.
  package let path: String

  /// Whether the administrator installed the file for all users.
  package let isSystemWide: Bool

  /// The app's display name, untranslated.
  package let name: String?

  /// The publisher, as the file states it.
  package let publisher: String?

  /// The groups, as the file states them.
  package let groups: [String]

  /// The URL schemes that the file registers the app for, spelled as in the file.
  package let schemes: [String]

  /// Whether the file declares a publisher or groups, or registers a `msauth` scheme.
  ///
  /// Also true for an unreadable file that may do so.
  package let declaresSharing: Bool

  /// The problems of the file.
  package let problems: [ManifestProblem]

  /// The path of a file of the same ID that counts instead although it is no more trusted, as a copy that an editor of
  /// menus has made; otherwise `nil`.
  package let precedingCopy: String?

  /// The entitlements that the file grants, or `nil` when it is refused or another file of the same ID takes
  /// precedence.
  package let entitlements: AppEntitlements?
}

extension AppManifest {
  /// Creates a manifest from a review.
  ///
  /// - Parameters:
  ///   - review: The review.
  ///   - preceding: The file of the same ID that takes precedence; `nil` when this one does.
  init(_ review: ManifestReview, precededBy preceding: ManifestFile?) {
    let entry = review.file.entry
    identifier = review.file.identifier
    path = review.file.path
    isSystemWide = review.file.isSystemWide
    name = entry?.name
    publisher = entry?.publisher
    groups = entry?.accessGroups ?? []
    schemes = entry?.schemes ?? []
    declaresSharing = review.file.declaresSharing
    problems = review.problems
    let isNoMoreTrusted = preceding?.isSystemWide == review.file.isSystemWide
    precedingCopy = isNoMoreTrusted ? preceding?.path : nil
    entitlements = preceding == nil && !review.isRefused ? review.stated : nil
  }

  /// The schemes by which authorization responses can arrive, spelled as in the file.
  package var redirectSchemes: [String] { schemes.filter { Self.isRedirectScheme($0.lowercased()) } }

  /// Returns whether a scheme is a private-use scheme (RFC 8252 section 7.1) that an app can use for redirects.
  ///
  /// Such a scheme has a dot in it, as an app's ID has, or is a scheme of MSAL or ADAL.
  static func isRedirectScheme(_ scheme: String) -> Bool {
    scheme.contains(".") || RedirectURI.isLibraryScheme(scheme)
  }
}
