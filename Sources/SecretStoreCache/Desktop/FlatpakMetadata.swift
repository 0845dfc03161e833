// SPDX-License-Identifier: MIT

import FoundationEssentials
package import KeychainGroupModel

/// The metadata of the Flatpak sandbox that this process is in (flatpak-metadata(5)).
package struct FlatpakMetadata {
  /// The path of the file, which exists only in a Flatpak sandbox.
  static let path = "/.flatpak-info"

  private let file: KeyFile?
  /// The overrides of an installed app, each of which replaces values of the ones behind it and of the file.
  private var overrides: [KeyFile] = []

  /// Reads the metadata.
  ///
  /// - Parameter root: The prefix of `/.flatpak-info`; empty for this process.
  package init(root: String = "") { file = Self.keyFile(root + Self.path) }

  private static func keyFile(_ path: String) -> KeyFile? {
    (try? FileReader().contents(path, limit: 1_048_576)).flatMap { try? KeyFile(parsing: $0.0) }
  }

  /// Reads the metadata of the installed Flatpaks, of the system and of the user, with their overrides.
  ///
  /// - Parameters:
  ///   - home: The user's data directory; `nil` when it is not known.
  ///   - root: The prefix of the paths; empty outside of tests.
  package static func installed(home: String?, root: String = "") -> [FlatpakMetadata] {
    let system = "\(root)/var/lib/flatpak"
    let folders = (home.map { ["\($0)/flatpak"] } ?? []) + [system]
    return folders.flatMap { folder in
      let apps = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/app")) ?? []
      return apps.sorted().map { app in
        var metadata = FlatpakMetadata(keyFile("\(folder)/app/\(app)/current/active/metadata"))
        metadata.overrides = folders.flatMap { folder in
          [app, "global"].compactMap { keyFile("\(folder)/overrides/\($0)") }
        }
        return metadata
      }
    }
  }

  private init(_ file: KeyFile?) { self.file = file }

  /// The policy that states what the app may use of the agent.
  ///
  /// `flatpak build-finish --add-policy=SecretStoreCache.groups=…` writes it into the app's metadata, and Flatpak
  /// copies it into `/.flatpak-info`.
  package static let policy = "SecretStoreCache"

  /// Returns the groups and the publishers that the policy of a file states; every policy is a list.
  ///
  /// - Throws: When GLib can't read a list.
  package static func policy(
    in file: KeyFile
  ) throws(BusError) -> (groups: [String], publishers: [String]) {
    func list(_ name: String) throws(BusError) -> [String] {
      try file.list(name, in: "Policy \(policy)") ?? []
    }
    return (try list("groups"), try list("publisher"))
  }

  /// The groups that the metadata state for the agent, with their publisher.
  package var statedGroups: [AccessGroup] {
    guard let file, let stated = try? Self.policy(in: file) else { return [] }
    let publisher = stated.publishers.first.flatMap { try? Publisher($0) }
    return stated.groups.compactMap { try? AccessGroup($0, publisher: publisher) }
  }

  /// The application ID; `nil` when there is none, or the file can't be read.
  package var app: String? { try? file?.string("name", in: "Application") }

  /// Returns whether the sandbox's permissions include the owner of a name on the session bus.
  func mayTalk(to busName: String) -> Bool { optionAgainstTalking(to: busName) != nil }

  /// Returns the option of `flatpak override` that takes back the permission to talk to the owner of a name on the
  /// session bus; `nil` without the permission.
  ///
  /// A rule for `org.freedesktop.*` covers every name that begins so, and `org.freedesktop` itself.
  package func optionAgainstTalking(to busName: String) -> String? {
    let files = overrides + (file.map { [$0] } ?? [])
    let sockets = files.lazy.compactMap { file in
      ((try? file.list("sockets", in: "Context")) ?? []).first {
        ["session-bus", "!session-bus"].contains($0)
      }
    }
    if sockets.first == "session-bus" { return "--nosocket=session-bus" }
    return rule(for: busName).map { "--no-talk-name=\($0)" }
  }

  /// Returns the name in the rule that permits to talk to the owner of a name on the session bus, or `nil` without a
  /// rule.
  func rule(for busName: String) -> String? {
    let files = overrides + (file.map { [$0] } ?? [])
    var rules = [busName]
    var parts = busName.split(separator: ".")[...]
    while !parts.isEmpty {
      rules.append(parts.joined(separator: ".") + ".*")
      parts.removeLast()
    }
    return rules.first { name in
      let policy = files.lazy.compactMap { try? $0.string(name, in: "Session Bus Policy") }.first
      return policy == "talk" || policy == "own"
    }
  }

  /// Returns whether the sandbox's permissions include a folder of the runtime directory, writable and created if it is
  /// missing.
  ///
  /// This does not prove that the folder is there; see ``LockSharing``.
  package func asks(forRuntimeFolder name: String) -> Bool {
    ((try? file?.list("filesystems", in: "Context")) ?? []).contains("xdg-run/\(name):create")
  }
}
