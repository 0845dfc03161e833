// SPDX-License-Identifier: MIT

/// What the system reports about the process that an app runs in.
package struct ProcessFacts: Hashable, Sendable {
  /// The content of `/.flatpak-info`, which Flatpak puts into every sandbox.
  package enum Flatpak: Hashable, Sendable {
    /// The file does not exist.
    case none
    /// The `name` key of the file's group `[Application]`.
    case app(String)
    /// The file exists and names no app.
    case unreadable
  }

  /// The process ID, in the process's own namespace.
  package var processID: Int32

  /// What `/.flatpak-info` reports.
  package var flatpak = Flatpak.none

  /// The text of `/proc/self/cgroup`.
  package var controlGroups = ""

  /// The text of `/proc/self/attr/current`, the AppArmor label.
  package var securityLabel = ""

  /// The text of the snap's `meta/snap.yaml`.
  package var snapMetadata = ""

  /// The path of the program, `/proc/self/exe`.
  package var executable = ""

  /// The environment variables.
  package var environment: [String: String] = [:]

  /// Creates facts with the process ID only.
  package init(processID: Int32) { self.processID = processID }
}

extension ProcessFacts {
  /// The name of the innermost systemd unit of the process.
  ///
  /// It comes from the line of systemd's own hierarchy where there is one, else from the line of the unified hierarchy
  /// (cgroups(7)).
  package var unitName: String? {
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

extension ProcessFacts: CustomStringConvertible, CustomReflectable {
  /// The process ID only, because the environment may hold secrets.
  package var description: String { "ProcessFacts(\(processID), redacted)" }

  /// A mirror with the process ID only.
  package var customMirror: Mirror { Mirror(self, children: ["processID": processID]) }
}

/// A source of facts about the process that an app runs in.
package protocol ProcessFactsSource: Sendable {
  /// Returns what the system reports about the current process.
  func processFacts() -> ProcessFacts
}
