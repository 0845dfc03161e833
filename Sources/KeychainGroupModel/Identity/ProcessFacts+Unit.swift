// SPDX-License-Identifier: MIT

extension ProcessFacts {
  /// The name of the innermost systemd unit that the process is in: from the line of the unified hierarchy,
  /// or of systemd's own where there are both (cgroups(7)).
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

  /// Whether the process belongs to a snap.
  package var isInSnap: Bool { SnapTag(self) != nil }
}
