// SPDX-License-Identifier: MIT

/// A problem with an app's manifest.
package struct ManifestProblem: Hashable, Sendable, CustomStringConvertible {
  /// The rule that the manifest breaks.
  package let rule: Rule

  /// One or two sentences that say what is wrong and how to fix it.
  package let explanation: String

  /// Whether the problem makes the manifest grant nothing.
  package let isRefusal: Bool

  /// The explanation.
  package var description: String { explanation }

  static func refusal(_ rule: Rule, _ explanation: String) -> ManifestProblem {
    ManifestProblem(rule: rule, explanation: explanation, isRefusal: true)
  }

  static func remark(_ rule: Rule, _ explanation: String) -> ManifestProblem {
    ManifestProblem(rule: rule, explanation: explanation, isRefusal: false)
  }
}

extension ManifestProblem {
  /// A rule for manifests.
  ///
  /// More rules may be added. Keep a default for unknown rules.
  package struct Rule: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case unreadable, notAnApplication, malformed, misplacedKey, repeatedGroup, foreignPrefix
      case symbolicLink, writableByOthers, foreignOwner, overruled, foreignPublisher
      case upperCaseScheme, otherAppsScheme, sharedScheme, noURLArgument, schemeNotOpened
    }

    private let name: Name

    private init(_ name: Name) { self.name = name }

    /// The rule's name.
    package var description: String { name.rawValue }

    /// The file can't be opened, or is not a key file.
    package static let unreadable = Rule(.unreadable)
    /// `Type` is not `Application`.
    package static let notAnApplication = Rule(.notAnApplication)
    /// The file's ID, the publisher or a group is not a valid name, or there are too many groups.
    package static let malformed = Rule(.malformed)
    /// A key for the publisher or the groups is in another section, or is misspelt.
    package static let misplacedKey = Rule(.misplacedKey)
    /// A group is listed twice.
    package static let repeatedGroup = Rule(.repeatedGroup)
    /// A group's name begins with another publisher's name, but the group belongs to the app's own publisher.
    package static let foreignPrefix = Rule(.foreignPrefix)
    /// The file is a symbolic link.
    package static let symbolicLink = Rule(.symbolicLink)
    /// Others than the owner can change the file.
    package static let writableByOthers = Rule(.writableByOthers)
    /// The file belongs neither to root nor to the user.
    package static let foreignOwner = Rule(.foreignOwner)
    /// Another manifest of the same ID takes precedence.
    package static let overruled = Rule(.overruled)
    /// A user's manifest declares a publisher that has an app installed for all users.
    package static let foreignPublisher = Rule(.foreignPublisher)
    /// A scheme is not in lower case, but the desktop looks schemes up in lower case.
    package static let upperCaseScheme = Rule(.upperCaseScheme)
    /// A `msauth` scheme belongs to another app.
    package static let otherAppsScheme = Rule(.otherAppsScheme)
    /// Another manifest registers the same scheme.
    package static let sharedScheme = Rule(.sharedScheme)
    /// `Exec` has no field code for a URL.
    package static let noURLArgument = Rule(.noURLArgument)
    /// The desktop does not open a scheme with the app.
    package static let schemeNotOpened = Rule(.schemeNotOpened)
  }
}
