// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// The locks and signals that this process shares with the other apps of its groups.
///
/// The facts about the process are read at first use.
package final class LockSharing: Sendable {
  private let stated: Bool?
  private let source: any ProcessFactsSource
  private let found = Locked<(facts: ProcessFacts, isShared: Bool)?>(nil)

  /// Creates the sharing state of this process.
  ///
  /// - Parameters:
  ///   - stated: The app's own statement; `nil` to determine it.
  ///   - facts: The source of the facts about the process.
  init(stated: Bool? = nil, facts: any ProcessFactsSource = SystemProcessFacts()) {
    self.stated = stated
    source = facts
  }

  /// Whether this process is known to share its locks with every app that uses the same groups.
  var isShared: Bool {
    if let stated { return stated }
    let found = known()
    // A Flatpak's folder was mounted when it started, and may have been deleted outside of the sandbox since then.
    return found.facts.flatpak == .none ? found.isShared : Self.isShared(by: found.facts)
  }

  /// Whether this process's bus may block the signals of other apps, as Flatpak's and snapd's do.
  var missesSignals: Bool {
    let facts = known().facts
    return facts.flatpak != .none || facts.environment["SNAP"] != nil
  }

  private func known() -> (facts: ProcessFacts, isShared: Bool) {
    if let found = found.withLock({ $0 }) { return found }
    let facts = source.processFacts()
    let new = (facts, Self.isShared(by: facts))
    found.withLock { $0 = new }
    return new
  }

  /// Returns whether other apps of the user are known to use the same lock files as this process.
  ///
  /// Apps outside of this process's sandbox don't. Neither do apps that have a runtime directory when this process
  /// has none or another one: that of the bus counts.
  ///
  /// A Flatpak's permissions are not relied on. Flatpak skips a folder that does not exist outside, and mounts an
  /// existing one at its path outside. Without that mount, the same path in the sandbox is a folder of the app's own.
  ///
  /// - Parameters:
  ///   - facts: The facts about this process.
  ///   - folder: The folder for lock files; `nil` when there is none.
  ///   - mounts: The mounts that a Flatpak sees; `nil` when they can't be read.
  package static func isShared(
    by facts: ProcessFacts, folder: LockFolder? = try? LockFolder.find(),
    mounts: @autoclosure () -> MountTable? = .current()
  ) -> Bool {
    guard let folder, folder.isInRuntimeDirectory else { return false }
    guard facts.flatpak == .none else { return mounts()?.hasSharedLockFolder(folder.path) == true }
    let runtime = String(folder.path.dropLast(LockFolder.name.utf8.count + 1))
    // The programs in a terminal of a classic snap have its variables, and the login's runtime directory. A confined
    // snap has one of its own, in which there is no bus.
    if facts.environment["SNAP"] != nil { return RuntimeDirectory.hasBus(facts.environment, runtime) }
    return RuntimeDirectory.isOfBus(facts.environment, runtime)
  }
}

extension MountTable {
  /// Returns whether the lock folder from outside of the sandbox is mounted at a path, with write access.
  ///
  /// A mount of another folder or of a new file system is not shared with anybody. The kernel appends `//deleted` to
  /// the name of a folder that was deleted outside.
  func hasSharedLockFolder(_ path: String) -> Bool {
    guard let resolved = PrivateFolder.resolved(path), let mount = mount(at: resolved) else { return false }
    return mount.isWritable && mount.folderName == Array(LockFolder.name.utf8)
  }
}
