// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import SecretStoreCache

/// A check that the desktop opens the schemes of the app's redirect URIs with the app.
///
/// Otherwise the response to a sign-in does not reach the app.
struct SchemeCheck: Sendable {
  let manifest: AppManifest
  let handlers: (any SchemeHandlers)?
  let environment: DiagnosticEnvironment

  static let name = "scheme"

  /// The manifest rules that concern schemes.
  static let rules: Set<ManifestProblem.Rule> = [
    .upperCaseScheme, .otherAppsScheme, .sharedScheme, .noURLArgument, .schemeNotOpened,
  ]

  func run() -> CheckResult {
    if manifest.problems.contains(where: \.isRefusal) {
      return .skipped("what the app declares is refused")
    }
    // What keeps the response from the app comes before what may.
    guard
      let problem = manifest.problems.first(where: { $0.rule == .schemeNotOpened })
        ?? manifest.problems.first(where: { Self.rules.contains($0.rule) })
    else {
      let schemes = manifest.redirectSchemes.joined(separator: " ")
      return .ok(schemes.isEmpty ? "No scheme of a redirect URI is registered." : "\(schemes) opens the app.")
    }
    if problem.rule == .schemeNotOpened { return notOpened }
    return .warning(problem.explanation, remedy: remedy(problem.rule))
  }

  private func remedy(_ rule: ManifestProblem.Rule) -> String {
    let path = manifest.path
    switch rule {
    case .noURLArgument: return "Put %u behind the program in Exec of \(path)."
    case .upperCaseScheme: return "Write the scheme in lower case in MimeType of \(path)."
    case .otherAppsScheme:
      return "Register x-scheme-handler/msauth.\(manifest.identifier) in MimeType of \(path)."
    case .sharedScheme:
      let own = "msauth.\(manifest.identifier)".lowercased()
      let other = handlers?.apps(for: own).first { $0 != manifest.identifier }
      if let other, manifest.redirectSchemes.contains(own) {
        return "Remove x-scheme-handler/\(own), which is not its own, from MimeType of \(other).desktop."
      }
      return "Give the app a scheme of its own in MimeType of \(path)."
    default: return "Correct \(path)."
    }
  }

  /// The result when the desktop opens the scheme with another app, does not know the app's file, or does not find its
  /// program.
  private var notOpened: CheckResult {
    let app = manifest.identifier
    if let file = (handlers as? DesktopSchemeHandlers)?.endlessFile {
      return .warning(
        "\(file) is no regular file: the desktop waits for its end, and opens no URLs with \(app).",
        remedy: "mv \(ShellWord.quoted(file)) \(ShellWord.aside(file))")
    }
    for scheme in manifest.redirectSchemes {
      let apps = handlers?.apps(for: scheme) ?? []
      if apps.first == app { continue }
      if apps.contains(app) {
        if let list = (handlers as? DesktopSchemeHandlers)?.desktopsList(giving: scheme, to: apps[0]) {
          return givenByList(scheme, to: apps[0], list)
        }
        return .warning(
          "The desktop opens \(scheme): URLs with \(apps[0]).",
          remedy: ifOwn(scheme, Self.choosing(app, for: scheme)))
      }
      let detail = "The desktop doesn't open \(scheme): URLs with \(app)."
      if let program = missingProgram("TryExec", \.self) {
        return .warning(
          "\(detail) \(program), which TryExec names, is not there, and the app counts as not installed.",
          remedy: "Install \(program), or correct TryExec in \(manifest.path).")
      }
      if let program = missingProgram("Exec", Self.program) {
        return .warning("\(detail) \(program) is not there.", remedy: "Correct Exec in \(manifest.path).")
      }
      // The user's list of apps may exclude one that the database has.
      return .warning(
        detail,
        remedy: isRegistered(scheme)
          ? Self.choosing(app, for: scheme) : registering)
    }
    return .ok("\(manifest.redirectSchemes.joined(separator: " ")) opens the app.")
  }

  /// Returns the result when a list of the desktop's own gives the scheme to another app.
  ///
  /// That list may be right: the remedy asks whose scheme it is.
  private func givenByList(_ scheme: String, to other: String, _ list: DesktopSchemeHandlers.List)
    -> CheckResult
  {
    let app = manifest.identifier
    let change =
      list.precedesUsers
      ? "Name \(app).desktop first in the line x-scheme-handler/\(scheme) of \(list.path)."
      : Self.choosing(app, for: scheme)
    return .warning(
      "The desktop opens \(scheme): URLs with \(other), as \(list.path) says.",
      remedy: ifOwn(scheme, change))
  }

  /// Returns the remedy that gives the app a scheme that another one has, too.
  ///
  /// Any app can register any scheme. An msauth scheme contains the name of its app.
  private func ifOwn(_ scheme: String, _ change: String) -> String {
    let app = manifest.identifier
    return scheme == "msauth.\(app)".lowercased()
      ? change : "Find out which of the two apps the scheme is of; if it is \(app): \(change)"
  }

  private static func choosing(_ app: String, for scheme: String) -> String {
    "xdg-mime default \(app).desktop x-scheme-handler/\(scheme)"
  }

  /// The command that writes the database of the manifest's folder, also where this user can't write there, or something
  /// else has the database's place.
  private var registering: String {
    let command = "update-desktop-database \(ShellWord.quoted(folder))"
    let reader = FileReader()
    if let info = reader.information(database, followsLink: true), info.st_mode & S_IFMT == S_IFDIR {
      return "mv \(ShellWord.quoted(database)) \(ShellWord.aside(database)) && \(command)"
    }
    if unsafe faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 { return command }
    guard let owner = reader.information(folder, followsLink: true)?.st_uid else { return command }
    return owner == geteuid()
      ? "chmod u+rwx \(ShellWord.quoted(folder)) && \(command)"
      : "As \(FileOwner.name(owner)), who owns that folder: \(command)"
  }

  /// Returns whether the database of the manifest's folder has the app for a scheme.
  private func isRegistered(_ scheme: String) -> Bool {
    guard let (bytes, _) = try? FileReader().contents(database, limit: 16 << 20),
      let file = try? KeyFile(parsing: bytes),
      let apps = try? file.list("x-scheme-handler/\(scheme)", in: "MIME Cache")
    else { return false }
    return apps.contains("\(manifest.identifier).desktop")
  }

  private var database: String { "\(folder)/mimeinfo.cache" }

  private var folder: String {
    "/" + manifest.path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// Returns the program of a command line.
  private static func program(of command: String) -> String? {
    command.split(separator: " ").first.map { $0.filter { $0 != "\"" } }
  }

  /// Returns the program in a key of the app's file when it does not exist; otherwise `nil`.
  ///
  /// GIO ignores apps whose program is missing.
  private func missingProgram(_ key: String, _ programOf: (String) -> String?) -> String? {
    guard let (bytes, _) = try? FileReader().contents(manifest.path, limit: DesktopFiles.maximumBytes),
      let file = try? KeyFile(parsing: bytes), let value = try? file.string(key, in: "Desktop Entry"),
      let program = programOf(value), !program.isEmpty
    else { return nil }
    if program.hasPrefix("/") {
      return FileReader().information(program, followsLink: true) == nil ? program : nil
    }
    return environment.hasProgram(program) ? nil : program
  }
}
