// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// The files in which GIO looks for the app of a scheme.
struct SchemeDatabase {
  private let directories: DataDirectories
  private let configurationFolders: [String]

  init(environment: [String: String] = ProcessEnvironment.current) {
    func folders(_ name: String, _ standard: String) -> [String] {
      let value = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard
      return value.split(separator: ":").map(String.init)
    }
    directories = DataDirectories(environment: environment)
    configurationFolders =
      folders("XDG_CONFIG_HOME", "\(environment["HOME"] ?? "")/.config")
      + folders("XDG_CONFIG_DIRS", "/etc/xdg")
  }

  /// The first file that GIO would read without end: a FIFO, or a device such as `/dev/zero`; `nil` when there is none.
  var endlessFile: String? {
    let applications = ([directories.home].compactMap(\.self) + directories.shared).map {
      "\($0)/applications"
    }
    for folder in configurationFolders + applications {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted() where Self.suffixes.contains(where: name.hasSuffix) {
        if isEndless("\(folder)/\(name)") { return "\(folder)/\(name)" }
      }
    }
    return nil
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
