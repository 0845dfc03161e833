// SPDX-License-Identifier: MIT

extension KeyringFiles {
  /// Returns why the next save of a collection would destroy the file in its place, which the daemon does not have.
  ///
  /// gnome-keyring looks at a file again only when the time of the folder has changed. So it does not see a backup that
  /// is copied over the file.
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
      if contents.contains(where: { Self.isKeyring($0, with: items, times) }) { return nil }
      // A file that changes is the daemon's: another program stores something.
      if self.version(of: file) != version { return nil }
    }
    return KeyringDamage(path: path(of: file), kind: .replaced)
  }

  /// Returns whether the daemon has another login keyring than the one in that keyring's file.
  ///
  /// It makes another one where it can't read the file when it starts, and keeps it when the file can be read since.
  func holdsOtherLogin(_ client: SecretServiceClient) async throws -> Bool {
    let others = files(labelled: Self.login.stem).subtracting([Self.login])
    guard isOfGnomeKeyring, !others.isEmpty, let login = try await client.collection(alias: "login") else {
      return false
    }
    let items = Set(try await client.items(of: login).map(\.name))
    let times = try await client.times(ofCollection: login)
    func isDaemons(_ file: GnomeKeyringFile) -> Bool {
      bytes(of: file).map { Self.isKeyring($0, with: items, times) } == true
    }
    return !isDaemons(Self.login) && others.contains(where: isDaemons)
  }

  /// Returns whether a file's content is a keyring with these items and one of these times; some files have no time.
  private static func isKeyring(_ bytes: [UInt8], with items: Set<String>, _ times: Set<Int>) -> Bool {
    let ofFile = KeyringFileFormat.times(bytes)
    return KeyringFileFormat.items(bytes) == items
      && (ofFile.isEmpty || times.isEmpty || !ofFile.isDisjoint(with: times))
  }
}
