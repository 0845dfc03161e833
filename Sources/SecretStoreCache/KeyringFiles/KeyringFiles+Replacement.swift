// SPDX-License-Identifier: MIT

extension KeyringFiles {
  /// Returns why the next save of a collection would destroy the file in its place, which the daemon does not have.
  ///
  /// gnome-keyring looks at a file again only when the time of the folder has changed. So it does not see a backup that is
  /// copied over the file.
  ///
  /// - Returns: `nil` when the file is the daemon's, or can't be read.
  package func replacement(
    of collection: ObjectPath, _ client: SecretServiceClient
  ) async throws -> KeyringDamage? {
    guard isOfGnomeKeyring, let file = GnomeKeyringFile(collection: collection) else { return nil }
    for _ in 0..<3 {
      let version = version(of: file)
      let contents = files(labelled: file.stem).compactMap(bytes).filter(KeyringFileFormat.isWhole)
      let items = Set(try await client.items(of: collection).map(\.name))
      let times = try await client.times(ofCollection: collection)
      if contents.isEmpty { return nil }
      let isOwn = contents.contains { bytes in
        let ofFile = KeyringFileFormat.times(bytes)
        return KeyringFileFormat.items(bytes) == items
          && (ofFile.isEmpty || times.isEmpty || !ofFile.isDisjoint(with: times))
      }
      if isOwn { return nil }
      // A file that changes is the daemon's: another program stores something.
      if self.version(of: file) != version { return nil }
    }
    return KeyringDamage(path: path(of: file), kind: .replaced)
  }
}
