// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache
import StrictJSON

/// The options that select the group of a command and the app it acts as.
struct GroupOptions: ParsableArguments {
  @Option(help: "The access group; com.microsoft.adalcache by default, or the app's own choice.")
  var group: String?

  @OptionGroup var acting: ActingOptions

  var publisher: String? { acting.publisher }
  var entitlements: String? { acting.entitlements }
  var json: Bool { acting.json }

  func validate() throws {
    if entitlements == nil, group != nil || publisher != nil {
      Invocation.group = try? chosenGroup()
    }
  }

  /// Opens the secrets of the group, or of all groups of the app.
  func openSecrets() throws -> AppSecrets {
    guard let app = try acting.actingApp() else {
      let opened = try open()
      return AppSecrets(group: opened.group, backend: opened.backend)
    }
    Invocation.group = try group.map(app.group)
    Invocation.concernsSeveralGroups = group == nil
    return try Self.store.secrets(for: app)
  }

  /// The store of the tool.
  ///
  /// It does not check the process's identity, because the tool acts for other apps.
  static let store: SecretStore = {
    var options = SecretStoreOptions()
    options.checksIdentity = false
    return SecretStore(options: options)
  }()

  /// Prints the outcome as a JSON member or as a sentence.
  func report(_ name: String, _ isDone: Bool, _ sentence: String) {
    if json { Printer.json(.object([name: .bool(isDone)])) } else { Printer.line(sentence) }
  }

  /// An opened group.
  struct Opened {
    let group: AccessGroup
    let backend: any TokenCacheBackend
    /// The app that the command acts as; `nil` when it acts as the user.
    let app: AppIdentifier?
  }

  /// Opens the group.
  func open() throws -> Opened {
    let store = Self.store
    guard let app = try acting.actingApp() else {
      let group = try chosenGroup()
      return Opened(group: group, backend: store.backend(for: group), app: nil)
    }
    let chosen = try group.map(app.group) ?? app.keychainSharingGroup
    Invocation.group = chosen
    return Opened(group: chosen, backend: store.backend(for: chosen), app: app.app)
  }

  /// Returns the group that the options name, without the restrictions of an app.
  func chosenGroup() throws -> AccessGroup {
    try acting.group(group ?? AccessGroup.adalCache.name)
  }
}
