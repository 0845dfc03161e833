// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that the group declarations in an app's `.desktop` file are accepted.
struct ManifestCheck: Sendable {
  let manifest: AppManifest
  /// The groups that exist; `nil` when they were not looked up.
  var groups: [AccessGroup]?
  /// The apps' own secrets of each group.
  var secrets: [AccessGroup: Set<RecordKey>] = [:]

  static let name = "manifest"

  /// Rules whose violation alone is harmless: the exported files of a Flatpak are symbolic links, and a copy in the
  /// home directory overrides or is overridden.
  private static let harmless: Set<ManifestProblem.Rule> = [.symbolicLink, .overruled]

  /// Returns the result for all `.desktop` files together.
  static func result(closedFolders: [String], declaresGroups: Bool) -> CheckResult? {
    guard let folder = closedFolders.first else {
      return declaresGroups ? nil : .ok("No app declares a group in its .desktop file.")
    }
    let path = ShellWord.quoted(folder)
    if let info = FileReader().information(folder, followsLink: true), info.st_mode & S_IFMT != S_IFDIR {
      let above = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "/"
      return .warning(
        "\(folder) is no folder: no app can declare anything there.",
        remedy:
          "\(unsafe access(above, W_OK) == 0 ? "" : "sudo ")mv \(path) \(ShellWord.aside(folder))"
      )
    }
    return .warning(
      "\(folder) can't be read: what the apps there declare does not count.",
      remedy: FileOwner.opening(folder)
        ?? "Find out who closed it, by namei -l \(path). If these apps shall count, open it: sudo chmod a+rx \(path)"
    )
  }

  func run() -> CheckResult {
    let problems = manifest.problems.filter { $0.isRefusal || !Self.harmless.contains($0.rule) }
      .filter { !SchemeCheck.rules.contains($0.rule) }
    guard let main = problems.first(where: \.isRefusal) ?? problems.first else {
      return namesake ?? .ok("\(manifest.path) counts.\(sharing)")
    }
    guard let info = FileReader().information(manifest.path, followsLink: true) else {
      return .warning(
        "\(manifest.path) is a link that leads nowhere: what it declared counts no more.",
        remedy: "rm \(ShellWord.quoted(manifest.path))")
    }
    if info.st_mode & S_IFMT != S_IFREG {
      let file = ShellWord.quoted(manifest.path)
      return .warning(
        "\(manifest.path) is no regular file, and declares nothing.",
        remedy: "mv \(file) \(ShellWord.aside(manifest.path))")
    }
    let detail = "\(manifest.path): \(main.explanation)"
    if let (bytes, _) = try? FileReader().contents(manifest.path, limit: DesktopFiles.maximumBytes),
      bytes.allSatisfy({ $0 == 0 })
    {
      // It need not be the file of an app that signs in.
      return .warning(
        "\(detail) What it declared counts no more.",
        remedy:
          "Install its app again; or mv \(ShellWord.quoted(manifest.path)) \(ShellWord.aside(manifest.path))"
      )
    }
    if let command = FileOwner.opening(manifest.path) {
      return .error(.notEntitled, detail, remedy: command)
    }
    return main.isRefusal
      ? .error(.notEntitled, detail, remedy: remedy(main.rule))
      : .warning(detail, remedy: remedy(main.rule))
  }

  /// With whom the app shares, where a person may not expect it, after a space; otherwise empty.
  ///
  /// This is no warning: the person at the desktop can't change it, and the app may choose a group by its code.
  private var sharing: String {
    guard let app = manifest.entitlements else { return "" }
    if app.unknowinglySharesNothing {
      return " Unless the app chooses another group, it shares its sign-in with no app."
    }
    return EntitlementsCheck.sharedWithoutPublisher(by: app).map { " \($0)" } ?? ""
  }

  /// The result when a group of the same name without a publisher has what the app's group has not.
  ///
  /// The app does not see that other group.
  private var namesake: CheckResult? {
    guard let groups, let app = manifest.entitlements else { return nil }
    for group in app.groups where group.publisher != nil {
      guard let other = groups.first(where: { $0.name == group.name && $0.publisher == nil }) else {
        continue
      }
      if groups.contains(group) {
        guard let found = leftSecrets(in: other, beside: group) else { continue }
        return found
      }
      return .warning(
        "\(manifest.path) declares the group \(group), which is not there. \(other), which has no publisher, is another one, and"
          + " the app does not see it. What it keeps can be copied.",
        remedy: ToolCommand.copy(other, into: group))
    }
    return nil
  }

  private func leftSecrets(in other: AccessGroup, beside group: AccessGroup) -> CheckResult? {
    guard let others = secrets[other], let own = secrets[group] else { return nil }
    let left = others.subtracting(own)
    if left.isEmpty { return nil }
    return .warning(
      "\(other), which has no publisher, has \(Quantity.of(left.count, "secret")) that \(group) has not, and the app"
        + " of \(manifest.path) does not see it.",
      remedy:
        "If the app stored it before it had a publisher, copy it: \(ToolCommand.copy(other, into: group));"
        + " \(ToolCommand.on(other, "secret list")) shows it, and sso-cache secret remove removes what nobody needs."
    )
  }

  /// Returns the remedy for a problem.
  ///
  /// When the file may have been written by someone else, the remedy is never a command that makes it accepted.
  private func remedy(_ rule: ManifestProblem.Rule) -> String {
    let (path, reader) = (manifest.path, FileReader())
    switch rule {
    case .writableByOthers:
      return Self.originRemedy(offendingPath(reader.isWritableByOthers), of: path)
    case .foreignOwner:
      return Self.originRemedy(offendingPath { reader.owner(of: $0) == .other }, of: path)
    case .foreignPublisher: return Self.originRemedy(path, of: path)
    case .overruled:
      if let copy = manifest.precedingCopy {
        return
          "Find out which of the two the app's maker wrote, \(copy) or \(path), and remove the other one."
      }
      return "Remove \(path), or let it state no more than the file that comes first."
    case .repeatedGroup: return "List each group once in \(path)."
    case .foreignPrefix: return "Name the group in \(path) after the app's own publisher."
    default:
      return
        "Correct \(path); sso-cache apps init \(manifest.identifier.asOperand) writes one to compare it with."
    }
  }

  /// Returns the instructions for finding out who wrote a file.
  private static func originRemedy(_ offendingPath: String, of path: String) -> String {
    "Find out who wrote it, by ls -ld \(ShellWord.quoted(offendingPath)) and dpkg -S \(ShellWord.quoted(path));"
      + " remove it if it is not of an app that you trust, and get such an app from its maker again."
  }

  /// Returns the path that causes the problem: the file, a folder above it up to `applications`, or a link target.
  private func offendingPath(_ isOffending: (stat) -> Bool) -> String {
    let reader = FileReader()
    var path = manifest.path
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      if let info = reader.information(path, followsLink: false), isOffending(info) { return path }
      if let info = reader.information(path, followsLink: true), isOffending(info) {
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
      }
      if path.hasSuffix("/applications") { break }
      path = String(path[..<slash])
    }
    return manifest.path
  }
}
