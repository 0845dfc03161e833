// SPDX-License-Identifier: MIT

import Glibc
package import KeychainGroupModel
import SecretStoreCache

extension GrantStore {
  /// Grants a group to an app, in the user's file.
  ///
  /// - Returns: Whether the user had not granted it yet.
  /// - Throws: `invalidFile` when the file is refused as it is. `invalidArgument` when there are too many grants.
  ///   `storageFailed` when the file can't be written, and is as before.
  package func grant(_ group: AccessGroup, to app: AppIdentifier) async throws -> Bool {
    try await change { file throws(SecretStoreError) in
      guard file.grants[app]?.contains(group) != true else { return false }
      try file.add(group, to: app)
      return true
    }
  }

  /// Removes grants of an app from the user's file.
  ///
  /// - Parameters:
  ///   - group: The group; `nil` for all groups of the app.
  ///   - app: The app.
  /// - Returns: The groups that the user's file listed.
  /// - Throws: The same errors as ``grant(_:to:)``.
  package func revoke(_ group: AccessGroup?, from app: AppIdentifier) async throws -> Set<AccessGroup> {
    try await change { file in
      let removed = file.listed[app, default: []].filter { group == nil || $0 == group }
      if !removed.isEmpty { file.remove(group, from: app) }
      return removed
    }
  }

  /// Changes the user's file, under a lock that all writers of the file use.
  private func change<Output>(
    _ body: (inout GrantFile) throws(SecretStoreError) -> Output
  ) async throws -> Output {
    guard let userFolder, let userFile else {
      throw SecretStoreError(
        .storageFailed, "There is no folder for the grants: neither XDG_CONFIG_HOME nor HOME is set.")
    }
    // A folder that readers don't trust, as a link, is not written to: the grant would have no effect.
    let state = PrivateFolder.state(of: userFolder)
    guard state == .secure || (state == .missing && PrivateFolder.make(userFolder)) else {
      throw SecretStoreError(
        .storageFailed,
        "The folder for the grants, \(userFolder), can't be made, is a link or is not private to this user.")
    }
    return try await FileLock(.grants, folder: userFolder).run {
      guard var file = try contents(of: userFile) ?? GrantFile(parsing: []) else {
        throw SecretStoreError(.invalidFile, "The file \(userFile) can't be changed.")
      }
      let old = file.text
      let output = try body(&file)
      if file.text != old { try write(Array(file.text.utf8), to: userFile, in: userFolder) }
      return output
    }
  }

  private func contents(of path: String) throws(SecretStoreError) -> GrantFile? {
    do throws(GrantRefusal) {
      return try read(path, of: .user)
    } catch {
      throw SecretStoreError(.invalidFile, "The file \(path) \(error.reason), and is left as it is.")
    }
  }

  /// Replaces a file in one step, so that a reader sees the old or the new one.
  private func write(_ bytes: [UInt8], to path: String, in folder: String) throws(SecretStoreError) {
    guard bytes.count <= GrantFile.maximumBytes else {
      throw SecretStoreError(
        .invalidArgument, "The file \(path) would be larger than \(GrantFile.maximumBytes) bytes.")
    }
    guard FileReplacement.replace(path, with: bytes, mode: 0o600) else { throw failure(path) }
    if let folder = OpenFile(folder, O_RDONLY | O_DIRECTORY) { fsync(folder.descriptor) }
  }

  private func failure(_ path: String) -> SecretStoreError {
    SecretStoreError(.storageFailed, "The file \(path) can't be written (error \(errno)).")
  }
}
