// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Which item holds which record, as far as this process has seen.
///
/// Good for one daemon only: another may give the same path to another item.
struct KnownPaths {
  private var paths: [RecordKey: ObjectPath] = [:]
  private var daemon: String?

  func path(of key: RecordKey, on handle: ServiceHandle) -> ObjectPath? {
    daemon == handle.daemon ? paths[key] : nil
  }

  mutating func remember(_ path: ObjectPath, for key: RecordKey, on handle: ServiceHandle) {
    if daemon != handle.daemon {
      paths = [:]
      daemon = handle.daemon
    }
    paths[key] = path
  }

  mutating func forget(_ key: RecordKey) { paths[key] = nil }
}
