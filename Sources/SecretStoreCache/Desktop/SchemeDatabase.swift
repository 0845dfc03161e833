// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// The files in which GIO looks for the app of a scheme.
struct SchemeDatabase {
  private let directories: DataDirectories
  private let configurationFolders: [String]
  /// The names of the desktop that the session is of, the most specific one first.
  private let desktops: [String]

  init(environment: [String: String] = ProcessEnvironment.current) {
    func entries(_ name: String, _ standard: String) -> [String] {
      let value = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard
      return value.split(separator: ":").map(String.init)
    }
    directories = DataDirectories(environment: environment)
    configurationFolders =
      entries("XDG_CONFIG_HOME", "\(environment["HOME"] ?? "")/.config")
      + entries("XDG_CONFIG_DIRS", "/etc/xdg")
    desktops = entries("XDG_CURRENT_DESKTOP", "").map { $0.lowercased() }
  }

  /// The first file that GIO would read without end: a FIFO, or a device such as `/dev/zero`; `nil` when there is none.
  var endlessFile: String? {
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted() where Self.suffixes.contains(where: name.hasSuffix) {
        if isEndless("\(folder)/\(name)") { return "\(folder)/\(name)" }
      }
    }
    return nil
  }

  private var folders: [String] {
    configurationFolders
      + ([directories.home].compactMap(\.self) + directories.shared).map { "\($0)/applications" }
  }

  /// Returns the list of a desktop's own, as `gnome-mimeapps.list`, by which an app opens a scheme's URLs; `nil` where
  /// another list, or none, says so.
  ///
  /// In each folder the lists of the desktop come before `mimeapps.list` (MIME Apps Specification, "File name and
  /// location").
  func desktopsList(giving scheme: String, to app: String) -> DesktopSchemeHandlers.List? {
    for folder in folders {
      for name in desktops.map({ "\($0)-mimeapps.list" }) + ["mimeapps.list"]
      where defaults(of: scheme, in: "\(folder)/\(name)").contains("\(app).desktop") {
        if name == "mimeapps.list" { return nil }
        return DesktopSchemeHandlers.List(
          path: "\(folder)/\(name)", precedesUsers: folder == configurationFolders.first)
      }
    }
    return nil
  }

  /// Returns the desktop file ids by which a list opens a scheme's URLs.
  private func defaults(of scheme: String, in path: String) -> [String] {
    guard let (bytes, _) = try? FileReader().contents(path, limit: 1 << 20),
      let file = try? KeyFile(parsing: bytes),
      let apps = try? file.list("x-scheme-handler/\(scheme)", in: "Default Applications")
    else { return [] }
    return apps
  }

  private static let suffixes = ["mimeapps.list", "defaults.list", "mimeinfo.cache", ".desktop"]

  private func isEndless(_ path: String) -> Bool {
    guard let info = FileReader().information(path, followsLink: true) else { return false }
    switch info.st_mode & S_IFMT {
    case S_IFIFO: return true
    // A link to /dev/null stands for an empty file.
    case S_IFCHR: return FileReader().information("/dev/null", followsLink: true)?.st_rdev != info.st_rdev
    default: return false
    }
  }
}
