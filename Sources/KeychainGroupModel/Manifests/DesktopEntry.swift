// SPDX-License-Identifier: MIT

/// What the group `[Desktop Entry]` of a `.desktop` file says, as far as it matters here.
///
/// ```ini
/// [Desktop Entry]
/// Type=Application
/// Name=Contoso Mail
/// Exec=contoso-mail %u
/// MimeType=x-scheme-handler/msauth.com.contoso.mail;
/// X-KeychainPublisher=contoso
/// X-KeychainAccessGroups=com.contoso.shared;com.contoso.archive;
/// ```
///
/// The two last keys are what an `entitlements.plist` says. All groups belong to the publisher and are named
/// without it; `$(AppIdentifierPrefix)` before a name does no harm.
public struct DesktopEntry: Hashable, Sendable {
  /// The key of the app's publisher.
  public static let publisherKey = "X-KeychainPublisher"

  /// The key of the app's access groups, a list.
  public static let groupsKey = "X-KeychainAccessGroups"

  /// `Type`; an app's is `Application`.
  public var type: String?

  /// `Name`, untranslated.
  public var name: String?

  /// `Exec`, the command line.
  public var command: String?

  /// `Hidden`: whether the file counts as deleted.
  public var isHidden = false

  /// `DBusActivatable`: whether URLs are handed over on the session bus and not on the command line.
  public var isDBusActivatable = false

  /// `MimeType`, a list.
  public var mediaTypes: [String] = []

  /// `X-KeychainPublisher`.
  public var publisher: String?

  /// `X-KeychainAccessGroups`; `nil` without the key.
  public var accessGroups: [String]?

  /// Makes an entry without a key.
  public init() {}

  /// The schemes that the file registers the app for, as it spells them.
  public var schemes: [String] {
    mediaTypes.filter { $0.hasPrefix(RedirectURI.schemeHandlerPrefix) }
      .map { String($0.dropFirst(RedirectURI.schemeHandlerPrefix.count)) }
  }

  /// Whether it has one of the keys about groups, or a scheme of MSAL's or ADAL's.
  var declaresSharing: Bool {
    publisher != nil || accessGroups != nil || schemes.contains { $0.lowercased().contains("msauth") }
  }

  /// Whether a URL reaches the app: the command line has a place for it, or it comes over the bus.
  var takesURLs: Bool {
    if isDBusActivatable { return true }
    // A doubled percent sign stands for itself.
    let command = (command ?? "").split(separator: "%%", omittingEmptySubsequences: false)
    return command.contains { $0.contains("%u") || $0.contains("%U") }
  }
}
