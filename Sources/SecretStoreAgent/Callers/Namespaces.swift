// SPDX-License-Identifier: MIT

import Glibc

/// The namespaces of a process, compared with those of the agent (namespaces(7)).
struct Namespaces {
  private let user: OpenFile
  private let mounts: OpenFile
  private let agent: OpenFile.Identity

  /// Opens the namespaces of a process; returns `nil` when that is not permitted.
  ///
  /// - Parameters:
  ///   - process: The process's folder in `/proc`.
  ///   - agent: The agent's own folder there.
  init?(of process: OpenFile, agent: OpenFile) {
    guard let user = OpenFile("ns/user", in: process, O_RDONLY),
      let mounts = OpenFile("ns/mnt", in: process, O_RDONLY),
      let own = OpenFile("ns/user", in: agent, O_RDONLY)?.identity
    else { return nil }
    self.user = user
    self.mounts = mounts
    self.agent = own
  }

  /// Whether the process is in the agent's user namespace.
  ///
  /// There an ordinary user can neither mount nor change a process's root.
  var isInAgentUserNamespace: Bool { user.identity == agent }

  /// Whether a program in the agent's user namespace made the sandbox of the process.
  ///
  /// bubblewrap makes a user namespace that owns the sandbox's mounts, and often another one in it, which has no right
  /// to mount. Whoever makes a sandbox inside of a sandbox gets mounts that a deeper user namespace owns.
  var isOutermostSandbox: Bool {
    if isInAgentUserNamespace { return true }
    guard let owner = mounts.related(by: Self.getUserNamespace),
      owner.related(by: Self.getParent)?.identity == agent
    else { return false }
    return user.identity == owner.identity || user.related(by: Self.getParent)?.identity == owner.identity
  }

  /// `NS_GET_USERNS` (ioctl_nsfs(2)): the user namespace that owns a namespace.
  private static let getUserNamespace: UInt = 0xb701
  /// `NS_GET_PARENT` (ioctl_nsfs(2)): the namespace in which a user namespace was made.
  private static let getParent: UInt = 0xb702
}

extension OpenFile {
  /// Opens the namespace that stands in a relation to this one, or returns `nil` when this process may not see it.
  fileprivate func related(by request: UInt) -> OpenFile? { OpenFile(taking: ioctl(descriptor, request)) }
}
