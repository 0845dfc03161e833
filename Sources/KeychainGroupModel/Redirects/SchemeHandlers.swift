// SPDX-License-Identifier: MIT

/// Which apps the desktop opens URLs with: what the rules of redirect URIs need to know of it.
public protocol SchemeHandlers: Sendable {
  /// The apps that handle a scheme, as desktop file ids without `.desktop`, the one that opens its URLs
  /// first.
  ///
  /// - Parameter scheme: The scheme, in lower case.
  func apps(for scheme: String) -> [String]
}
