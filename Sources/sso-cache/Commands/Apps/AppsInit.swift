// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreAgent
import SecretStoreCache
import StrictJSON

/// The command `sso-cache apps init`.
struct AppsInit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write an app's .desktop file and entitlements property list to start from.",
    discussion: """
      Writes <id>.desktop and entitlements.plist and overwrites neither. Either of them is enough: the \
      .desktop file is read where it is installed, the property list by the app itself.

      Examples:
        sso-cache apps init com.contoso.mail --publisher com.contoso \\
          --group com.contoso.shared
      """)

  @Argument(help: "The app's id, such as com.contoso.mail.")
  var id: String

  @Option(
    help: """
      The app's publisher, to whom its groups belong; none by default. A sandboxed app has the groups of a publisher \
      whose name its id begins with, such as com.contoso; others need a grant.
      """)
  var publisher: String?

  @Option(
    help: """
      An access group that the app shares, the preferred one first; may be repeated. Without one it is \
      \(AppEntitlements.defaultKeychainSharingGroup).
      """)
  var group: [String] = []

  @Option(help: "The scheme of the app's redirect URI; msauth.<id> by default.")
  var scheme: String?

  @Option(help: "The folder to write into; the current one by default.", completion: .directory)
  var directory = "."

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let groups = group.isEmpty ? [AppEntitlements.defaultKeychainSharingGroup] : group
    let app = try AppEntitlements(app: id, publisher: publisher, groups: groups)
    // The identifier of a new app must also be valid for D-Bus and Flatpak.
    if app.app.name.split(separator: ".", omittingEmptySubsequences: false).contains("") {
      throw SecretStoreError(
        .invalidArgument, "The app identifier \(app.app) has an empty part between its dots.")
    }
    let uri = try redirectURI(of: app.app)
    let files = [
      NewFile(path: "\(directory)/\(app.app).desktop", text: app.desktopFile(scheme: uri.scheme)),
      NewFile(path: "\(directory)/entitlements.plist", text: app.propertyListText),
    ]
    try NewFile.write(files)
    let (finishArguments, grants) = (
      GroupPolicy.finishArguments(of: app), GroupPolicy.grantCommands(for: app)
    )
    if json {
      return Printer.json(
        .object([
          "files": .array(files.map { .string($0.path) }), "redirect_uri": .string(uri.text),
          "finish_args": .array(finishArguments.map(JSONValue.string)),
          "grants": .array(grants.map(JSONValue.string)),
        ]))
    }
    for file in files { Printer.line("Wrote \(Printer.printable(file.path))") }
    Printer.line(
      """

      Set Name and Exec in \(app.app).desktop, install it in an applications folder, and run
      update-desktop-database on that folder. The redirect URI to register with the provider:
      \(uri)

      A Flatpak of the app has in its finish-args:
      \(finishArguments.joined(separator: "\n"))
      """)
    guard !grants.isEmpty else { return }
    Printer.line("")
    Printer.line(
      "The id doesn't begin with the name of the groups' owner, so each user of a Flatpak grants them:")
    for grant in grants { Printer.line(grant) }
  }

  /// Returns the redirect URI with the app's scheme, in a form that brokers accept.
  private func redirectURI(of app: AppIdentifier) throws(SecretStoreError) -> RedirectURI {
    guard let scheme else { return try RedirectURI(defaultFor: app) }
    let uri = try RedirectURI("\(scheme)://auth", for: app)
    return uri.form == .custom ? try RedirectURI("\(scheme)://\(app)", for: app) : uri
  }
}
