// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Which item holds which record, as far as this process has seen.
///
/// Good for one connection only: another daemon may give the same path to another item.
struct KnownPaths {
  private var paths: [RecordKey: ObjectPath] = [:]
  private var connection: Int?

  func path(of key: RecordKey, on handle: ServiceHandle) -> ObjectPath? {
    connection == handle.serial ? paths[key] : nil
  }

  mutating func remember(_ path: ObjectPath, for key: RecordKey, on handle: ServiceHandle) {
    if connection != handle.serial {
      paths = [:]
      connection = handle.serial
    }
    paths[key] = path
  }

  mutating func forget(_ key: RecordKey) { paths[key] = nil }
}
