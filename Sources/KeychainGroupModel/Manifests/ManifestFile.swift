// SPDX-License-Identifier: MIT

/// A `.desktop` file, with its location, owner and content.
package struct ManifestFile: Hashable, Sendable {
  /// The owner of a file.
  package enum Owner: Hashable, Sendable {
    /// Root: the administrator installed the file for all users.
    case root
    /// The user in whose session the app runs.
    case user
    /// Another user.
    case other
  }

  /// The content of a file.
  package enum Content: Hashable, Sendable {
    /// A desktop entry.
    case entry(DesktopEntry)
    /// Unreadable content, with the reason as it completes the sentence "The file …".
    case unreadable(String)
  }

  /// The desktop file ID without `.desktop`.
  ///
  /// It is the path below `applications`, with `-` for `/` (Desktop Entry Specification, "Desktop File ID").
  package let identifier: String

  /// The file's path.
  package let path: String

  /// Whether the file is below `XDG_DATA_HOME`.
  package let isInUserData: Bool

  /// The least trusted owner of the file, of the link to it, and of the folders below `applications` that contain it.
  package let owner: Owner

  /// Whether the path is a symbolic link to the file.
  package let isSymbolicLink: Bool

  /// Whether the file's group or everybody can write to the file or to a folder that contains it.
  package let isWritableByOthers: Bool

  /// The content of the file.
  package let content: Content

  /// Whether the file has the keys for the publisher or groups or a `msauth` scheme, or may have them if unreadable.
  package let declaresSharing: Bool

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - identifier: The desktop file ID without `.desktop`.
  ///   - path: The file's path.
  ///   - isInUserData: Whether the file is below `XDG_DATA_HOME`.
  ///   - owner: The least trusted owner of the file, the link and the folders.
  ///   - isSymbolicLink: Whether the path is a symbolic link to the file.
  ///   - isWritableByOthers: Whether others than the owner can change the file.
  ///   - content: The content of the file.
  ///   - declaresSharing: Whether the file has, or may have, the keys for the publisher or groups. `nil` derives it
  ///     from the content.
  package init(
    identifier: String, path: String, isInUserData: Bool, owner: Owner, isSymbolicLink: Bool = false,
    isWritableByOthers: Bool = false, content: Content, declaresSharing: Bool? = nil
  ) {
    self.identifier = identifier
    self.path = path
    self.isInUserData = isInUserData
    self.owner = owner
    self.isSymbolicLink = isSymbolicLink
    self.isWritableByOthers = isWritableByOthers
    self.content = content
    if let declaresSharing {
      self.declaresSharing = declaresSharing
    } else if case .entry(let entry) = content {
      self.declaresSharing = entry.declaresSharing
    } else {
      self.declaresSharing = true
    }
  }

  /// The entry, or `nil` when the file is unreadable.
  var entry: DesktopEntry? {
    if case .entry(let entry) = content { entry } else { nil }
  }

  /// Whether the administrator installed the file for all users, and nobody else can change it.
  var isSystemWide: Bool { owner == .root && !isInUserData && !isWritableByOthers }
}

/// A source of `.desktop` files.
package protocol ManifestSource: Sendable {
  /// Returns the files in the desktop's order: `XDG_DATA_HOME` first, then `XDG_DATA_DIRS`.
  func manifestFiles() -> [ManifestFile]
}
