// SPDX-License-Identifier: MIT

/// Something that is wrong with an app's manifest.
public struct ManifestProblem: Hashable, Sendable, CustomStringConvertible {
  /// Which rule is broken.
  public let rule: Rule

  /// What is wrong and what to do about it, in a sentence or two.
  public let explanation: String

  /// Whether what the manifest says about groups therefore doesn't count.
  public let isRefusal: Bool

  /// The explanation.
  public var description: String { explanation }

  static func refusal(_ rule: Rule, _ explanation: String) -> ManifestProblem {
    ManifestProblem(rule: rule, explanation: explanation, isRefusal: true)
  }

  static func remark(_ rule: Rule, _ explanation: String) -> ManifestProblem {
    ManifestProblem(rule: rule, explanation: explanation, isRefusal: false)
  }
}

extension ManifestProblem {
  /// The rules that manifests keep.
  ///
  /// The list can grow: keep a default for rules that you don't know.
  public struct Rule: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case unreadable, notAnApplication, malformed, repeatedGroup, foreignPrefix
      case symbolicLink, writableByOthers, foreignOwner, overruled, foreignPublisher
      case upperCaseScheme, otherAppsScheme, sharedScheme, noURLArgument, schemeNotOpened
    }

    private let name: Name

    private init(_ name: Name) { self.name = name }

    /// The rule's name.
    public var description: String { name.rawValue }

    /// The file can't be opened, or is no key file.
    public static let unreadable = Rule(.unreadable)
    /// `Type` is not `Application`.
    public static let notAnApplication = Rule(.notAnApplication)
    /// The file's name, the publisher or a group is no valid name, or there are too many groups.
    public static let malformed = Rule(.malformed)
    /// A group is listed twice.
    public static let repeatedGroup = Rule(.repeatedGroup)
    /// A group's name begins with another publisher's, and belongs to the app's own all the same.
    public static let foreignPrefix = Rule(.foreignPrefix)
    /// The file is a symbolic link.
    public static let symbolicLink = Rule(.symbolicLink)
    /// Others than the owner can change the file.
    public static let writableByOthers = Rule(.writableByOthers)
    /// The file is neither the administrator's nor the user's.
    public static let foreignOwner = Rule(.foreignOwner)
    /// Another manifest of the same id comes first.
    public static let overruled = Rule(.overruled)
    /// A user's manifest names a publisher whose apps the administrator installed.
    public static let foreignPublisher = Rule(.foreignPublisher)
    /// A scheme is not in lower case, in which the desktop looks for it.
    public static let upperCaseScheme = Rule(.upperCaseScheme)
    /// A `msauth` scheme is another app's.
    public static let otherAppsScheme = Rule(.otherAppsScheme)
    /// Another manifest registers the same scheme.
    public static let sharedScheme = Rule(.sharedScheme)
    /// `Exec` has no place for a URL.
    public static let noURLArgument = Rule(.noURLArgument)
    /// The desktop doesn't open a scheme with the app.
    public static let schemeNotOpened = Rule(.schemeNotOpened)
  }
}
