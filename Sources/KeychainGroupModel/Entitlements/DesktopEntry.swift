// SPDX-License-Identifier: MIT

/// The keys of the group `[Desktop Entry]` in a `.desktop` file that this package uses.
///
/// ```ini
/// [Desktop Entry]
/// Type=Application
/// Name=Contoso Mail
/// Exec=contoso-mail %u
/// MimeType=x-scheme-handler/msauth.com.contoso.mail;
/// X-KeychainPublisher=com.contoso
/// X-KeychainAccessGroups=com.contoso.shared;com.contoso.archive;
/// ```
///
/// The last two keys hold what an `entitlements.plist` holds. All groups belong to the publisher, and their names
/// don't include it. The prefix `$(AppIdentifierPrefix)` before a name is permitted and ignored.
package struct DesktopEntry: Hashable, Sendable {
  /// How the names of all keys of this package begin.
  package static let keyPrefix = "X-Keychain"

  /// The key for the app's publisher.
  package static let publisherKey = "X-KeychainPublisher"

  /// The key for the app's access groups, a list.
  package static let groupsKey = "X-KeychainAccessGroups"

  /// `Type`, which is `Application` for an app.
  package var type: String?

  /// `Name`, untranslated.
  package var name: String?

  /// `Exec`, the command line.
  package var command: String?

  /// `Hidden`: whether the file counts as deleted.
  package var isHidden = false

  /// `DBusActivatable`: whether the desktop passes URLs over the session bus instead of on the command line.
  package var isDBusActivatable = false

  /// `MimeType`, a list.
  package var mediaTypes: [String] = []

  /// `X-KeychainPublisher`.
  package var publisher: String?

  /// `X-KeychainAccessGroups`, or `nil` when the key is absent.
  package var accessGroups: [String]?

  /// A key for the publisher or the groups that does not count.
  package struct MisplacedKey: Hashable, Sendable {
    /// The key, spelled as in the file.
    package let name: String
    /// The section that it is in.
    package let section: String

    /// Creates a key.
    package init(name: String, section: String) { (self.name, self.section) = (name, section) }
  }

  /// The keys for the publisher or the groups that are in another section or misspelt.
  package var misplacedKeys: [MisplacedKey] = []

  /// Creates an entry without any keys.
  package init() {}

  /// The URL schemes that the file registers the app for, spelled as in the file.
  package var schemes: [String] {
    mediaTypes.filter { $0.hasPrefix(RedirectURI.schemeHandlerPrefix) }
      .map { String($0.dropFirst(RedirectURI.schemeHandlerPrefix.count)) }
  }

  /// Whether the entry has a key for the publisher or the groups, also a misplaced one, or a scheme of MSAL's or ADAL's
  /// redirect URIs.
  var declaresSharing: Bool {
    publisher != nil || accessGroups != nil || !misplacedKeys.isEmpty
      || schemes.contains(where: RedirectURI.isLibraryScheme)
  }

  /// Whether URLs reach the app: its command line has a URL field code, or the app is activated over D-Bus.
  var takesURLs: Bool {
    if isDBusActivatable { return true }
    // A double percent sign is a literal one.
    let command = (command ?? "").split(separator: "%%", omittingEmptySubsequences: false)
    return command.contains { $0.contains("%u") || $0.contains("%U") }
  }
}

extension AppEntitlements {
  /// Reads an app's publisher and groups from its `.desktop` file.
  ///
  /// - Parameters:
  ///   - entry: The file's content.
  ///   - app: The app: the desktop file ID without `.desktop`.
  /// - Throws: `invalidArgument` when the ID, the publisher or a group is malformed, or there are too many groups.
  package init(desktopEntry entry: DesktopEntry, app: String) throws(SecretStoreError) {
    let names = (entry.accessGroups ?? []).map { name in
      name.hasPrefix(Self.prefixVariable) ? String(name.dropFirst(Self.prefixVariable.count)) : name
    }
    try self.init(app: app, publisher: entry.publisher, groups: names)
  }
}
