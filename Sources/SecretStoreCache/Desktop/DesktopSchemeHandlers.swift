// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The apps with which this desktop opens URLs, according to GIO.
///
/// GIO reads the desktop's database. After a `.desktop` file was added or changed, run `update-desktop-database` on its
/// folder. An app whose program does not exist is skipped.
package struct DesktopSchemeHandlers: SchemeHandlers {
  /// Creates the handlers; nothing is read yet.
  package init() {}

  /// The file of the desktop's database that keeps GIO waiting for ever; `nil` when there is none.
  package var endlessFile: String? { SchemeDatabase().endlessFile }

  /// A list of apps of the desktop that the session is of, as `gnome-mimeapps.list`.
  package struct List: Hashable, Sendable {
    /// The list's path.
    package let path: String
    /// Whether it comes before the user's `mimeapps.list`, into which `xdg-mime` writes.
    package let precedesUsers: Bool
  }

  /// Returns the list by which an app opens a scheme's URLs, if it is one of the desktop's own; otherwise `nil`.
  package func desktopsList(giving scheme: String, to app: String) -> List? {
    SchemeDatabase().desktopsList(giving: scheme, to: app)
  }

  /// Returns the apps that handle a scheme, as desktop file ids without `.desktop`; the first one opens its URLs.
  ///
  /// - Parameter scheme: The scheme, in lower case.
  /// - Returns: None when a file of the database is a FIFO or a device, for which GIO would wait for ever.
  package func apps(for scheme: String) -> [String] {
    if endlessFile != nil { return [] }
    return SchemeApps.identifiers(for: scheme).map { identifier in
      identifier.hasSuffix(".desktop") ? String(identifier.dropLast(".desktop".count)) : identifier
    }
  }
}
