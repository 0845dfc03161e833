// SPDX-License-Identifier: MIT

extension ProcessFacts {
  /// The name of the innermost systemd unit of the process.
  ///
  /// It comes from the line of systemd's own hierarchy where there is one, else from the line of the unified hierarchy
  /// (cgroups(7)).
  var unitName: String? {
    let lines = controlGroups.split(whereSeparator: \.isNewline)
    let line =
      lines.first { $0.contains(":name=systemd:") && !$0.hasSuffix(":/") }
      ?? lines.first { $0.hasPrefix("0::") }
    guard let path = line?.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last else {
      return nil
    }
    let unit = path.split(separator: "/").last { $0.hasSuffix(".scope") || $0.hasSuffix(".service") }
    return unit.map(String.init)
  }
}
