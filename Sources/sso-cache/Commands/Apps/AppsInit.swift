// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// The command `sso-cache apps init`.
struct AppsInit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write an app's .desktop file and entitlements property list to start from.",
    discussion: """
      Writes <id>.desktop and entitlements.plist and overwrites neither. Either of them is enough: the \
      .desktop file is read where it is installed, the property list by the app itself.

      Examples:
        sso-cache apps init com.contoso.mail --group com.contoso.shared
      """)

  @Argument(help: "The app's id, such as com.contoso.mail.")
  var id: String

  @Option(help: "The app's publisher, to whom its groups belong; none by default.")
  var publisher: String?

  @Option(help: "An access group that the app shares, the preferred one first; may be repeated.")
  var group: [String] = []

  @Option(help: "The scheme of the app's redirect URI; msauth.<id> by default.")
  var scheme: String?

  @Option(help: "The folder to write into; the current one by default.", completion: .directory)
  var directory = "."

  @Flag(help: "Print one JSON document.")
  var json = false

  func run() async throws {
    let app = try AppEntitlements(app: id, publisher: publisher, groups: group)
    let uri = try redirectURI(of: app.app)
    let files = [
      NewFile(path: "\(directory)/\(app.app).desktop", text: app.desktopFile(scheme: uri.scheme)),
      NewFile(path: "\(directory)/entitlements.plist", text: try app.propertyListText()),
    ]
    try NewFile.write(files)
    if json {
      return Printer.json(
        .object([
          "files": .array(files.map { .string($0.path) }), "redirect_uri": .string(uri.text),
        ]))
    }
    for file in files { Printer.line("Wrote \(Printer.printable(file.path))") }
    Printer.line(
      """

      Set Name and Exec in \(app.app).desktop, install it in an applications folder, and run
      update-desktop-database on that folder. The redirect URI to register with the provider:
      \(uri)
      """)
  }

  /// The redirect URI with the app's scheme, of a form that a broker takes.
  private func redirectURI(of app: AppIdentifier) throws(SecretStoreError) -> RedirectURI {
    guard let scheme else { return try RedirectURI(defaultFor: app) }
    let uri = try RedirectURI("\(scheme)://auth", for: app)
    return uri.form == .custom ? try RedirectURI("\(scheme)://\(app)", for: app) : uri
  }
}
