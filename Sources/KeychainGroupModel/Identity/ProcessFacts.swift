// SPDX-License-Identifier: MIT

/// What the system says about the process that an app runs in.
public struct ProcessFacts: Hashable, Sendable {
  /// What the file `/.flatpak-info` says, which Flatpak puts into every sandbox.
  public enum Flatpak: Hashable, Sendable {
    /// There is no such file.
    case none
    /// `name` of its group `[Application]`.
    case app(String)
    /// There is a file, and it names no app.
    case unreadable
  }

  /// The process's id, in its own namespace.
  public var processID: Int32

  /// What Flatpak says.
  public var flatpak = Flatpak.none

  /// The text of `/proc/self/cgroup`.
  public var controlGroups = ""

  /// The text of `/proc/self/attr/current`, AppArmor's label.
  public var securityLabel = ""

  /// The text of the snap's `meta/snap.yaml`.
  public var snapMetadata = ""

  /// The path of the program, `/proc/self/exe`.
  public var executable = ""

  /// The environment.
  public var environment: [String: String] = [:]

  /// Makes facts about a process of which nothing else is known.
  ///
  /// - Parameter processID: The process's id.
  public init(processID: Int32) { self.processID = processID }
}

extension ProcessFacts: CustomStringConvertible, CustomReflectable {
  /// The process's id and nothing else: an environment may hold secrets.
  public var description: String { "ProcessFacts(\(processID), redacted)" }

  /// Shows the process's id only.
  public var customMirror: Mirror { Mirror(self, children: ["processID": processID]) }
}
