// SPDX-License-Identifier: MIT

public import KeychainGroupModel

extension InstalledApps {
  /// An app that declares groups, a publisher or a redirect scheme in its `.desktop` file.
  public struct App: Sendable, Hashable {
    /// A problem of the file.
    public struct Problem: Sendable, Hashable {
      /// One or two sentences that say what is wrong and how to fix it.
      public let explanation: String
      /// Whether the problem makes the file grant nothing.
      public let isRefusal: Bool
    }

    /// The app's ID, as the file's name states it.
    public let identifier: String
    /// The app's display name, untranslated; `nil` when the file has none.
    public let name: String?
    /// The file's path.
    public let path: String
    /// Whether the administrator installed the file for all users.
    public let isSystemWide: Bool
    /// The publisher, as the file states it.
    public let publisher: String?
    /// The groups, as the file states them.
    public let groups: [String]
    /// What the file grants; `nil` when it is refused or another file of the same ID takes precedence.
    public let entitlements: AppEntitlements?
    /// What is wrong with the file.
    public let problems: [Problem]

    /// Creates an app, for tests and previews of an app.
    public init(
      identifier: String, name: String?, path: String = "", isSystemWide: Bool = false,
      publisher: String? = nil,
      groups: [String] = [], entitlements: AppEntitlements?, problems: [Problem] = []
    ) {
      self.identifier = identifier
      self.name = name
      self.path = path
      self.isSystemWide = isSystemWide
      self.publisher = publisher
      self.groups = groups
      self.entitlements = entitlements
      self.problems = problems
    }
  }

  /// Returns the apps that share sign-in according to their `.desktop` files, and what is wrong with these, sorted by
  /// ID.
  ///
  /// The texts are those of files that anybody may have written: show them as plain text.
  public func apps() -> [App] {
    catalog().manifests.filter(\.declaresSharing).map { manifest in
      App(
        identifier: manifest.identifier, name: manifest.name, path: manifest.path,
        isSystemWide: manifest.isSystemWide, publisher: manifest.publisher, groups: manifest.groups,
        entitlements: manifest.entitlements,
        problems: manifest.problems.map {
          App.Problem(explanation: $0.explanation, isRefusal: $0.isRefusal)
        })
    }
  }
}
