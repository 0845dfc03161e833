// SPDX-License-Identifier: MIT

/// A `.desktop` file as it was found: where, whose, and what is in it.
public struct ManifestFile: Hashable, Sendable {
  /// Whose a file is.
  public enum Owner: Hashable, Sendable {
    /// The administrator's: installed for everybody.
    case root
    /// The user's, in whose session the app runs.
    case user
    /// Anybody else's.
    case other
  }

  /// What is in a file.
  public enum Content: Hashable, Sendable {
    /// A desktop entry.
    case entry(DesktopEntry)
    /// Nothing that can be read, for a reason that goes into "The file …".
    case unreadable(String)
  }

  /// The desktop file id without `.desktop`: the path below `applications`, with `-` for `/` (Desktop Entry
  /// Specification, "Desktop File ID").
  public let identifier: String

  /// The file's path.
  public let path: String

  /// Whether it is below `XDG_DATA_HOME`.
  public let isInUserData: Bool

  /// The least trusted of the owners of the file, of the link that leads to it, and of the folders they are
  /// found in below `applications`.
  public let owner: Owner

  /// Whether the path leads to the file by a symbolic link.
  public let isSymbolicLink: Bool

  /// Whether the file's group or everybody can write to it, or to a folder that it is found in.
  public let isWritableByOthers: Bool

  /// What is in it.
  public let content: Content

  /// Whether the keys about groups are in it, or may be in what can't be read.
  public let mentionsGroups: Bool

  /// Makes a file.
  ///
  /// - Parameters:
  ///   - identifier: The desktop file id without `.desktop`.
  ///   - path: The file's path.
  ///   - isInUserData: Whether it is below `XDG_DATA_HOME`.
  ///   - owner: The least trusted owner of file, link and folders.
  ///   - isSymbolicLink: Whether the path leads to it by a symbolic link.
  ///   - isWritableByOthers: Whether others than the owner can change it.
  ///   - content: What is in it.
  ///   - mentionsGroups: Whether the keys about groups are, or may be, in it; `nil` to go by the content.
  public init(
    identifier: String, path: String, isInUserData: Bool, owner: Owner, isSymbolicLink: Bool = false,
    isWritableByOthers: Bool = false, content: Content, mentionsGroups: Bool? = nil
  ) {
    self.identifier = identifier
    self.path = path
    self.isInUserData = isInUserData
    self.owner = owner
    self.isSymbolicLink = isSymbolicLink
    self.isWritableByOthers = isWritableByOthers
    self.content = content
    if let mentionsGroups {
      self.mentionsGroups = mentionsGroups
    } else if case .entry(let entry) = content {
      self.mentionsGroups = entry.declaresSharing
    } else {
      self.mentionsGroups = true
    }
  }

  /// The entry, if it could be read.
  var entry: DesktopEntry? {
    if case .entry(let entry) = content { entry } else { nil }
  }

  /// Whether it was installed for everybody, by the administrator, and nobody else can change it.
  var isSystemWide: Bool { owner == .root && !isInUserData && !isWritableByOthers }
}
