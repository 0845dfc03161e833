// SPDX-License-Identifier: MIT

/// The directories that are searched for data files (XDG Base Directory Specification).
///
/// Paths that are not absolute are ignored, as the specification requires.
package struct DataDirectories: Sendable {
  /// `XDG_DATA_HOME`, otherwise `.local/share` in the home directory; `nil` without a home directory.
  package let home: String?

  /// `XDG_DATA_DIRS`, otherwise `/usr/local/share` and `/usr/share`, in order and without duplicates.
  let shared: [String]

  package init(environment: [String: String]) {
    let home = Self.absolute(environment["XDG_DATA_HOME"])
    self.home = home ?? Self.absolute(environment["HOME"]).map { "\($0)/.local/share" }
    let list = environment["XDG_DATA_DIRS"] ?? ""
    var seen: Set<String> = self.home.map { [$0] } ?? []
    shared = (list.isEmpty ? "/usr/local/share:/usr/share" : list).split(separator: ":")
      .compactMap { Self.absolute(String($0)) }.filter { seen.insert($0).inserted }
  }

  private static func absolute(_ path: String?) -> String? {
    guard var path, path.hasPrefix("/") else { return nil }
    while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
