// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension ManifestFile {
  /// A file that was installed for everybody.
  static func installed(
    _ identifier: String, in folder: String = "/usr/share/applications", owner: Owner = .root,
    isSymbolicLink: Bool = false, isWritableByOthers: Bool = false,
    _ change: (inout DesktopEntry) -> Void = { _ in }
  ) -> ManifestFile {
    ManifestFile(
      identifier: identifier, path: "\(folder)/\(identifier).desktop", isInUserData: false, owner: owner,
      isSymbolicLink: isSymbolicLink, isWritableByOthers: isWritableByOthers, content: .entry(made(change)))
  }

  /// A file of the user's own, in the home.
  static func ofUser(
    _ identifier: String, owner: Owner = .user, isSymbolicLink: Bool = false,
    isWritableByOthers: Bool = false,
    _ change: (inout DesktopEntry) -> Void = { _ in }
  ) -> ManifestFile {
    ManifestFile(
      identifier: identifier, path: "/home/ada/.local/share/applications/\(identifier).desktop",
      isInUserData: true, owner: owner, isSymbolicLink: isSymbolicLink,
      isWritableByOthers: isWritableByOthers,
      content: .entry(made(change)))
  }

  private static func made(_ change: (inout DesktopEntry) -> Void) -> DesktopEntry {
    var entry = DesktopEntry()
    entry.type = "Application"
    entry.command = "app %u"
    change(&entry)
    return entry
  }
}

extension DesktopEntry {
  /// States groups of a publisher.
  mutating func state(_ publisher: String?, _ groups: String...) {
    self.publisher = publisher
    accessGroups = groups
  }
}
