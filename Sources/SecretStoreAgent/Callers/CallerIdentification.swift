// SPDX-License-Identifier: MIT

package import Glibc
package import KeychainGroupModel
import SecretStoreCache

/// Finds out which app a calling process belongs to, from outside of its sandbox.
///
/// Nothing that the caller says counts. The order is that of xdg-desktop-portal: a Flatpak has `/.flatpak-info` at its
/// root, a snap has the label and the control group of its app, and whoever has neither is a host program. The
/// process that calls for a Flatpak is its `xdg-dbus-proxy`, whose sandbox has the same file.
///
/// What keeps a sandbox from passing for another app, or for none:
///
/// - Any error but "no such file" at `/.flatpak-info` is a refusal, and so is anything there but a regular file.
/// - The file counts only in a sandbox that was made in the agent's user namespace. A sandboxed app that makes a
///   sandbox of its own, with another file or without one, is refused.
/// - Without the file, the process must be in the agent's user namespace and, unless a snap confines it, have the
///   agent's root. So a process in a container or a chroot is refused, whatever made it.
/// - The process is held by a descriptor, and it must still run when everything has been read.
///
/// What is left open:
///
/// - A host program can start a Flatpak of any name, and it can read the Secret Service itself. So nothing protects a
///   group from a program outside of a sandbox.
/// - The same holds for a sandbox that has the whole session bus (Flatpak's `--socket=session-bus`, a container with
///   the bus's socket): it can ask other services to start programs outside. Its own processes call, and not a proxy.
///   In a Flatpak with `--device=all` besides, one that gets past Flatpak's filter of system calls could change its
///   root and name another app.
/// - A bus without process descriptors (dbus-daemon) names a process by its number only. Where a program gives its
///   connection to a child and ends, the agent takes the child for whatever has that number next. Flatpak's proxy does
///   not do so.
/// - A host program that forbids others to look into it (`PR_SET_DUMPABLE`) is refused, since its root can't be seen.
/// - An agent in a user namespace of its own, as systemd makes it for `PrivateTmp=` of a user's service, serves nobody
///   outside of that.
package struct CallerIdentification: Sendable {
  private let processes: String

  /// Creates an identification.
  ///
  /// - Parameter processes: The folder with the processes' files.
  package init(processes: String = "/proc") { self.processes = processes }

  /// Returns the caller that a process is.
  ///
  /// - Parameters:
  ///   - processID: The process's number, as the bus reports it.
  ///   - pidfd: The descriptor that stands for the process, when the bus gives one; it stays open.
  /// - Throws: `identityMismatch` when it is not certain which app the process belongs to.
  package func caller(processID: pid_t, pidfd: Int32? = nil) throws(SecretStoreError) -> Caller {
    let process = try CallingProcess(processID, descriptor: pidfd, in: processes)
    let caller = try identify(process)
    try process.requireRunning()
    return caller
  }

  private func identify(_ process: CallingProcess) throws(SecretStoreError) -> Caller {
    guard let agent = OpenFile("\(processes)/self", O_RDONLY | O_DIRECTORY),
      let namespaces = Namespaces(of: process.folder, agent: agent)
    else { throw process.refusal("has namespaces that can't be seen (error \(errno))") }
    guard namespaces.isOutermostSandbox else { throw process.refusal("is in a sandbox inside of a sandbox") }
    guard let root = OpenFile("root", in: process.folder, O_RDONLY | O_DIRECTORY) else {
      throw process.refusal("has a root that can't be opened (error \(errno))")
    }
    if let metadata = try flatpakInfo(root, process) { return try Caller(flatpakInfo: metadata) }
    guard namespaces.isInAgentUserNamespace else {
      throw process.refusal("is in a sandbox of an unknown kind")
    }
    if let app = try snap(process) { return .snap(app) }
    guard let identity = root.identity,
      identity == OpenFile("root", in: agent, O_RDONLY | O_DIRECTORY)?.identity
    else { throw process.refusal("has another root than the system's, and is in no Flatpak and no snap") }
    return .host
  }

  /// Returns the content of `/.flatpak-info` in a root; `nil` when the file does not exist.
  private func flatpakInfo(_ root: OpenFile, _ process: CallingProcess) throws(SecretStoreError) -> [UInt8]? {
    do throws(FileReader.Refusal) {
      // A link would lead to a file of this process's root, and not of the sandbox's.
      return try FileReader().contents(
        ".flatpak-info", limit: 1_048_576, in: root.descriptor, followsLink: false
      ).bytes
    } catch {
      if case .failed(ENOENT) = error { return nil }
      throw process.refusal("has a /.flatpak-info that \(error.reason)")
    }
  }

  /// Returns the app of the snap that confines a process; `nil` when none does.
  private func snap(_ process: CallingProcess) throws(SecretStoreError) -> AppIdentifier? {
    var facts = ProcessFacts(processID: process.identifier)
    facts.controlGroups = try process.text("cgroup") ?? ""
    // With several security modules, AppArmor's label is in a folder of its own. A kernel without any refuses to read
    // the other file.
    let label = try process.text("attr/apparmor/current") ?? (try? process.text("attr/current")) ?? ""
    facts.securityLabel = label.filter { !$0.isNewline }
    do throws(SecretStoreError) {
      return try facts.confiningSnap()
    } catch {
      throw process.refusal("can't be told from a snap: \(error.detail)")
    }
  }
}
