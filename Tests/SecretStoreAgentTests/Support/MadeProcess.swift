// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreAgent
import SecretStoreCache

/// A folder like `/proc`, with the files of a process and of the agent.
///
/// The process has the number of a real one, so that the system has a descriptor for it. It begins as a host program.
struct MadeProcess {
  let folder: TemporaryFolder
  let identifier: pid_t

  init(_ identifier: pid_t = getpid()) throws {
    self.identifier = identifier
    folder = try TemporaryFolder()
    try folder.makeFolder("system")
    for process in ["self", "\(identifier)"] {
      try folder.link("\(process)/root", to: "../system")
      try folder.write("namespaces/user", "")
      try folder.link("\(process)/ns/user", to: "../../namespaces/user")
      try folder.link("\(process)/ns/mnt", to: "../../namespaces/user")
    }
    try write("stat", "\(identifier) (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20\n")
    try write("cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n")
    try write("attr/current", "unconfined\n")
  }

  /// Writes a file of the process.
  func write(_ name: String, _ text: String) throws { try folder.write("\(identifier)/\(name)", text) }

  /// Gives the process a root of its own.
  func enterSandbox() throws {
    try folder.makeFolder("sandbox")
    try folder.link("\(identifier)/root", to: "../sandbox")
  }

  /// Gives the process the root of a Flatpak.
  func enterFlatpak(_ metadata: some Sequence<UInt8>) throws {
    try enterSandbox()
    try folder.write("sandbox/.flatpak-info", metadata)
  }

  /// Gives the process a user namespace of its own.
  func unshareUser() throws {
    try folder.write("namespaces/other", "")
    try folder.link("\(identifier)/ns/user", to: "../../namespaces/other")
  }

  func caller(pidfd: Int32? = nil) throws -> Caller {
    try CallerIdentification(processes: folder.path).caller(processID: identifier, pidfd: pidfd)
  }
}
