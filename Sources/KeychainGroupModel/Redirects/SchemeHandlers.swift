// SPDX-License-Identifier: MIT

/// A source of the apps that the desktop opens URLs with.
public protocol SchemeHandlers: Sendable {
  /// Returns the apps that handle a scheme, as desktop file IDs without `.desktop`.
  ///
  /// The app that opens the scheme's URLs comes first.
  ///
  /// - Parameter scheme: The scheme, in lower case.
  func apps(for scheme: String) -> [String]
}
