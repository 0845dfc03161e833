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
