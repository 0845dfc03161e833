// SPDX-License-Identifier: MIT

import FoundationEssentials
import SecretStoreCache

/// The folders in which tools keep their caches, by the environment of a process.
package struct PartnerFolders: Sendable {
  let home: String
  /// `XDG_DATA_HOME`.
  let data: String
  /// `XDG_CACHE_HOME`.
  let cache: String
  /// `AZURE_CONFIG_DIR`.
  let azure: String
  /// `AZD_CONFIG_DIR`.
  let azd: String

  /// Finds the folders; `nil` without a home directory.
  package init?(environment: [String: String]) {
    func folder(_ name: String) -> String? {
      guard let path = environment[name], path.hasPrefix("/") else { return nil }
      return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
    guard let home = folder("HOME"), let data = DataDirectories(environment: environment).home else {
      return nil
    }
    self.home = home
    self.data = data
    cache = folder("XDG_CACHE_HOME") ?? "\(home)/.cache"
    azure = folder("AZURE_CONFIG_DIR") ?? "\(home)/.azure"
    azd = folder("AZD_CONFIG_DIR") ?? "\(home)/.azd"
  }

  /// Returns a path as Python's `os.path.expanduser` does, for the user's own home only.
  func expanded(_ path: String) -> String {
    path == "~" ? home : path.hasPrefix("~/") ? home + path.dropFirst() : path
  }

  /// Returns the paths of the regular files of a folder whose names begin and end with texts, sorted.
  func files(in folder: String, from beginning: String, to ending: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(beginning) && $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
  }
}
