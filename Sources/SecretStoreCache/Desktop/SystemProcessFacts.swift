// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// What this system says about this process.
struct SystemProcessFacts: ProcessFactsSource {
  /// What stands before every path; empty but for a copy of another machine's files.
  let root: String
  let environment: [String: String]

  init(root: String = "", environment: [String: String] = ProcessEnvironment.current) {
    self.root = root
    self.environment = environment
  }

  func processFacts() -> ProcessFacts {
    var facts = ProcessFacts(processID: getpid())
    facts.flatpak = flatpak()
    facts.controlGroups = FileReader.text("\(root)/proc/self/cgroup") ?? ""
    // Where several security modules are in force, AppArmor's label is in a folder of its own.
    facts.securityLabel =
      FileReader.text("\(root)/proc/self/attr/apparmor/current")
      ?? FileReader.text("\(root)/proc/self/attr/current") ?? ""
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(root)/proc/self/exe")
    facts.executable = program ?? ""
    facts.environment = environment
    if let snap = environment["SNAP"], snap.hasPrefix("/snap/") || snap.hasPrefix("/var/lib/snapd/snap/") {
      facts.snapMetadata = FileReader.text("\(root)\(snap)/meta/snap.yaml") ?? ""
    }
    return facts
  }

  /// Flatpak's file is there in a sandbox and nowhere else.
  private func flatpak() -> ProcessFacts.Flatpak {
    let path = "\(root)/.flatpak-info"
    guard FileReader().information(path, followsLink: false) != nil else { return .none }
    guard let (bytes, _) = try? FileReader().contents(path, limit: 1_048_576),
      let file = try? KeyFile(parsing: bytes), let name = try? file.string("name", in: "Application")
    else { return .unreadable }
    return .app(name)
  }
}
