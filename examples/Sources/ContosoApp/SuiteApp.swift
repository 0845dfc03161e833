// SPDX-License-Identifier: MIT

import ArgumentParser
public import Foundation

/// An app of Contoso's suite: all that tells one from another.
///
/// ```swift
/// @main enum Mail: SuiteApp { … }
/// ```
public protocol SuiteApp {
  /// What people call the app.
  static var name: String { get }
  /// The program's name.
  static var command: String { get }
  /// The app's `entitlements.plist`.
  static var entitlements: Data { get }
  /// The app's own redirect URI. Apps that share a client id must not share this one.
  static var redirectURI: String { get }
}

extension SuiteApp {
  /// Runs the app's command line.
  ///
  /// (`@concurrent` because `@main` does not see a function that runs on its caller's actor.)
  @concurrent public static func main() async { await SuiteCommand<Self>.main() }
}
