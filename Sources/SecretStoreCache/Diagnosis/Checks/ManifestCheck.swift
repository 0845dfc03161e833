// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// Whether what an app's `.desktop` file says about groups counts.
struct ManifestCheck: Sendable {
  let manifest: AppManifest

  static let name = "manifest"

  /// What is no matter by itself: a Flatpak's files are links, and a copy in the home comes first or later.
  private static let harmless: Set<ManifestProblem.Rule> = [.symbolicLink, .overruled]

  func find() -> Finding {
    let problems = manifest.problems.filter { $0.isRefusal || !Self.harmless.contains($0.rule) }
      .filter { !SchemeCheck.rules.contains($0.rule) }
    guard let worst = problems.first(where: \.isRefusal) ?? problems.first else {
      return .ok("\(manifest.path) counts.")
    }
    let detail = "\(manifest.path): \(worst.explanation)"
    return worst.isRefusal
      ? .error(.notEntitled, detail, remedy: remedy(worst.rule))
      : .warning(detail, remedy: remedy(worst.rule))
  }

  private func remedy(_ rule: ManifestProblem.Rule) -> String {
    let path = manifest.path
    switch rule {
    case .writableByOthers:
      return "chmod go-w \(ToolCommand.quoted(culprit { !$0.isLink && $0.st_mode & 0o022 != 0 }))"
    case .foreignOwner:
      let reader = FileReader()
      let owner = path.hasPrefix("/usr/") || path.hasPrefix("/var/") ? "root" : "\(geteuid())"
      return "sudo chown -h \(owner) \(ToolCommand.quoted(culprit { reader.owner(of: $0) == .other }))"
    case .foreignPublisher:
      return "sudo install -m 644 \(ToolCommand.quoted(path)) /usr/local/share/applications/"
    case .overruled: return "Remove \(path), or let it state no more than the file that comes first."
    case .repeatedGroup: return "List each group once in \(path)."
    case .foreignPrefix: return "Name the group in \(path) after the app's own publisher."
    default:
      return "Correct \(path); sso-cache apps init \(manifest.identifier) writes one to compare it with."
    }
  }

  /// Which of the file, the folders above it up to `applications`, and what it leads to, is to blame.
  private func culprit(_ isToBlame: (stat) -> Bool) -> String {
    let reader = FileReader()
    var path = manifest.path
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      if let info = reader.information(path, followsLink: false), isToBlame(info) { return path }
      if let info = reader.information(path, followsLink: true), isToBlame(info) {
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
      }
      if path.hasSuffix("/applications") { break }
      path = String(path[..<slash])
    }
    return manifest.path
  }
}

extension stat {
  /// Whether it is a symbolic link, which has no mode of its own.
  fileprivate var isLink: Bool { st_mode & S_IFMT == S_IFLNK }
}
