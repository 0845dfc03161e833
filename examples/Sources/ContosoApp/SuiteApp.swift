// SPDX-License-Identifier: MIT

import ArgumentParser
public import Foundation

/// An app of Contoso's suite, defined by its differences from the other apps.
///
/// ```swift
/// @main enum Mail: SuiteApp { … }
/// ```
public protocol SuiteApp {
  /// The name of the app in messages.
  static var name: String { get }
  /// The name of the program.
  static var command: String { get }
  /// The app's `entitlements.plist`.
  static var entitlements: Data { get }
  /// The app's own redirect URI.
  ///
  /// Apps that share a client id need different redirect URIs.
  static var redirectURI: String { get }
}

extension SuiteApp {
  /// Runs the app's command line.
  ///
  /// It is `@concurrent` because `@main` does not accept a function that runs on its caller's actor.
  @concurrent public static func main() async { await SuiteCommand<Self>.main() }
}
