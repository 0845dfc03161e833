// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// Which apps this desktop opens URLs with, as GIO knows it.
///
/// It knows what is in the desktop's database: after a `.desktop` file has come or changed, run
/// `update-desktop-database` on its folder. An app whose program is not there is passed over.
public struct DesktopSchemeHandlers: SchemeHandlers {
  /// Makes the handlers; nothing is read yet.
  public init() {}

  /// The apps that handle a scheme, as desktop file ids without `.desktop`, the one that opens its URLs
  /// first.
  ///
  /// - Parameter scheme: The scheme, in lower case.
  public func apps(for scheme: String) -> [String] {
    SchemeApps.identifiers(for: scheme).map { identifier in
      identifier.hasSuffix(".desktop") ? String(identifier.dropLast(".desktop".count)) : identifier
    }
  }
}
