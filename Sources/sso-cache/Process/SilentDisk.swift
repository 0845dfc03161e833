// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import SecretStoreCache
import Synchronization

/// A disk that does not answer, as that of a server that is gone.
///
/// A call for a file on it waits until it is back, past every deadline.
enum SilentDisk {
  /// How long a disk may take; one that is mounted at its first use takes a while.
  private static let limit = DispatchTimeInterval.seconds(10)

  private static let answered = Atomic(0)

  /// The first of the user's folders whose disk does not answer; `nil` when all do.
  static var folder: String? {
    let folders = self.folders
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      for folder in folders {
        var info = stat()
        _ = unsafe stat(folder, &info)
        answered.add(1, ordering: .sequentiallyConsistent)
      }
      done.signal()
    }
    if done.wait(timeout: .now() + limit) == .success { return nil }
    return folders.dropFirst(answered.load(ordering: .sequentiallyConsistent)).first
  }

  /// The folders in which every command looks: for keyrings, settings, grants and locks.
  private static var folders: [String] {
    let environment = ProcessEnvironment.current
    let data = DataDirectories(environment: environment).home
    let stated = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"].map { environment[$0] }
    return (stated + [data, data.map { "\($0)/keyrings" }]).compactMap(\.self)
  }
}
