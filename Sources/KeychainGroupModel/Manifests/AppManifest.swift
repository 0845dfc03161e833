// SPDX-License-Identifier: MIT

/// What a `.desktop` file says about an app's groups and redirect schemes, and what came of it.
public struct AppManifest: Hashable, Sendable {
  /// The app's id, the desktop file id without `.desktop`.
  public let identifier: String

  /// The file's path.
  public let path: String

  /// Whether it was installed for everybody, by the administrator.
  public let isSystemWide: Bool

  /// The app's name for people, untranslated.
  public let name: String?

  /// The publisher, as the file states it.
  public let publisher: String?

  /// The groups, as the file states them.
  public let groups: [String]

  /// The schemes that the file registers the app for, as it spells them.
  public let schemes: [String]

  /// Whether the file says anything about groups, or registers a scheme of MSAL's.
  public let declaresSharing: Bool

  /// What is wrong with it.
  public let problems: [ManifestProblem]

  /// What the app may use by this file; `nil` when it is refused, or another file of its id comes first.
  public let entitlements: AppEntitlements?
}

extension AppManifest {
  /// What came of a review.
  ///
  /// - Parameters:
  ///   - review: The review.
  ///   - counts: Whether the file comes first among those of its id.
  init(_ review: ManifestReview, counts: Bool) {
    let entry = review.file.entry
    identifier = review.file.identifier
    path = review.file.path
    isSystemWide = review.file.isSystemWide
    name = entry?.name
    publisher = entry?.publisher
    groups = entry?.accessGroups ?? []
    schemes = entry?.schemes ?? []
    declaresSharing = review.file.mentionsGroups
    problems = review.problems
    entitlements = counts && !review.isRefused ? review.stated : nil
  }

  /// The schemes by which answers to sign-ins can arrive, as the file spells them.
  public var redirectSchemes: [String] { schemes.filter { Self.isRedirectScheme($0.lowercased()) } }

  /// Whether a scheme is one that an app makes up: it has the app's id in it (RFC 8252 section 7.1), or is
  /// MSAL's or ADAL's.
  static func isRedirectScheme(_ scheme: String) -> Bool {
    scheme.contains(".") || scheme.contains("msauth") || scheme.hasPrefix("msal")
  }
}
