// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import SecretStoreCache

/// Which group a command works on, and as whom.
struct GroupOptions: ParsableArguments {
  @Option(help: "The access group; com.microsoft.adalcache by default, or the app's own choice.")
  var group: String?

  @Option(help: "The group's publisher; none by default.")
  var publisher: String?

  @Option(
    help: ArgumentHelp(
      "Act as the app of this entitlements property list, and be refused what it does not list.",
      valueName: "file"),
    completion: .file())
  var entitlements: String?

  @OptionGroup var log: LogOptions

  @Flag(help: "Print one JSON document.")
  var json = false

  func validate() throws {
    if entitlements != nil && publisher != nil {
      throw ValidationError("The publisher is in the entitlements: leave out --publisher.")
    }
  }

  /// Opens the secrets of the group, or of all groups of the app.
  func openSecrets() throws -> AppSecrets {
    guard let entitlements else {
      let backend = try open().backend
      return AppSecrets(group: backend.group, backend: backend)
    }
    let app = try AppEntitlements(propertyList: Data(InputFile.read(entitlements)))
    if let group { _ = try app.group(group) }
    return Self.store.secrets(for: app)
  }

  /// The store of the tool, which acts for other apps.
  static let store: SecretStore = {
    var options = SecretStoreOptions()
    options.checksIdentity = false
    return SecretStore(options: options)
  }()

  /// Prints what was done: one member, or a sentence.
  func report(_ name: String, _ isDone: Bool, _ sentence: String) {
    if json { Printer.json(.object([name: .bool(isDone)])) } else { Printer.line(sentence) }
  }

  /// A group, opened.
  struct Opened {
    let backend: SecretServiceBackend
    /// The app to act as; `nil` for the person at the keyboard.
    let app: AppIdentifier?
  }

  /// Opens the group.
  func open() throws -> Opened {
    let store = Self.store
    guard let entitlements else {
      return Opened(backend: store.unrestrictedBackend(for: try chosenGroup()), app: nil)
    }
    let app = try AppEntitlements(propertyList: Data(InputFile.read(entitlements)))
    return Opened(
      backend: try store.backend(for: app, group: group), app: app.app)
  }

  /// The group that the options name, for the person at the keyboard.
  func chosenGroup() throws -> AccessGroup {
    try AccessGroup(
      group ?? AccessGroup.adalCache.name, publisher: publisher.map { name throws in try Publisher(name) })
  }
}
