// SPDX-License-Identifier: MIT

/// Where data files are looked for (XDG Base Directory Specification).
///
/// A path that is not absolute is passed over, as the specification asks.
struct DataDirectories: Sendable {
  /// `XDG_DATA_HOME`, else `.local/share` in the home; `nil` without a home.
  let home: String?

  /// `XDG_DATA_DIRS`, else `/usr/local/share` and `/usr/share`, in their order and each once.
  let shared: [String]

  init(environment: [String: String]) {
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
