// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// The facts that this system reports about this process.
package struct SystemProcessFacts: ProcessFactsSource {
  /// The prefix of every path; empty unless another machine's files were copied here.
  let root: String
  let environment: [String: String]

  package init(root: String = "", environment: [String: String] = ProcessEnvironment.current) {
    self.root = root
    self.environment = environment
  }

  package func processFacts() -> ProcessFacts {
    var facts = ProcessFacts(processID: getpid())
    facts.flatpak = flatpak()
    facts.controlGroups = FileReader.text("\(root)/proc/self/cgroup") ?? ""
    // With several security modules, AppArmor's label is in a folder of its own.
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

  /// Returns the Flatpak that this process is in.
  private func flatpak() -> ProcessFacts.Flatpak {
    let path = root + FlatpakMetadata.path
    guard FileReader().information(path, followsLink: false) != nil else { return .none }
    return FlatpakMetadata(root: root).app.map { .app($0) } ?? .unreadable
  }
}
