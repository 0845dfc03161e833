// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import SecretStoreCache

/// The options for the app that a command acts as, and for the form of its output.
struct ActingOptions: ParsableArguments {
  @Option(help: "The group's publisher; none by default, or that of the entitlements.")
  var publisher: String?

  @Option(
    help: ArgumentHelp(
      "Act as the app of this entitlements property list, and be refused what it does not list.",
      valueName: "file"),
    completion: .file())
  var entitlements: String?

  @Option(
    help: ArgumentHelp(
      "The app of an entitlements property list that does not name it, as one that Xcode wrote.",
      valueName: "id"))
  var app: String?

  @OptionGroup var log: LogOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  func validate() throws {
    if entitlements == nil && app != nil {
      throw ValidationError("--app needs --entitlements.")
    }
  }

  /// Returns the entitlements of the app that the command acts as.
  func app(_ propertyList: Data) throws(SecretStoreError) -> AppEntitlements {
    try AppEntitlements(propertyList: propertyList, app: app, publisher: publisher)
  }

  /// Returns the entitlements of the app that the command acts as; `nil` when it acts as the user.
  func actingApp() throws(SecretStoreError) -> AppEntitlements? {
    guard let entitlements else { return nil }
    return try app(Data(InputFile.read(entitlements)))
  }

  /// Returns the group of a name, without the restrictions of an app.
  ///
  /// - Parameter other: Its publisher, where it is another's than ``publisher``.
  func group(_ name: String, publisher other: String? = nil) throws(SecretStoreError) -> AccessGroup {
    try AccessGroup(
      name, publisher: (other ?? publisher).map { name throws(SecretStoreError) in try Publisher(name) })
  }
}
