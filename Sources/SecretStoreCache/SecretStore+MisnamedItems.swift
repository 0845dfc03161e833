// SPDX-License-Identifier: MIT

package import KeychainGroupModel
package import TokenCacheModel

/// An item whose attributes name another record than its document does.
package struct MisnamedItem: Sendable {
  let path: ObjectPath
  let attributes: [String: String]
  /// The record that the document names, and the one that the attributes do.
  package let record: MisnamedRecord

  /// The record that the document names.
  var key: RecordKey { record.record.key }
}

/// Items whose attributes name another record than their documents do: any program can change attributes.
///
/// In a collection that may not hold the group's records, only those are corrected that the caller then removes.
extension SecretStore {
  /// Gives an account's items of this kind the attributes of the records that their documents name.
  ///
  /// Lists go by the documents, and a sign-out goes by the attributes. So another account's item with the attributes of
  /// this one is corrected, too. What was set aside stays so, and so do other programs' items.
  ///
  /// - Parameters:
  ///   - clientID: The client whose items, and those of families, are corrected; `nil` for all clients.
  ///   - directory: The accounts of the group.
  /// - Throws: At the end, one error that names the items that could not be corrected.
  package func correctAttributes(
    ofItemsOf account: Account, clientID: String?, in group: AccessGroup, _ directory: AccountDirectory
  ) async throws {
    let isOwned = try await directory.ownership(of: account)
    let client = clientID.map(RecordKey.storedClient)
    let stored = RecordKey.storedAccount(account.identifier)
    try await correctAttributes(in: group, removing: isOwned) { document, named in
      if let named, !named.account.isEmpty, named.account == stored, !isOwned(document) {
        // Entries of the account alone are its own, whatever the document says.
        return document.metadata.record.map { document.isOfOthers(than: $0.account) } != true
      }
      guard isOwned(document), let record = document.metadata.record else { return false }
      return client == nil || record.kind == .family || record.clientID == client
        || document.adalToken?.familyOfItem != nil
    }
  }

  /// Gives every item of this kind the attributes of the record that its document names.
  ///
  /// A removal of all accounts and a replacing import find records by attributes.
  ///
  /// - Throws: As ``correctAttributes(ofItemsOf:clientID:in:_:)``.
  package func correctAllAttributes(in group: AccessGroup) async throws {
    try await correctAttributes(in: group, removing: Self.isSignIn) { document, _ in
      Self.isCorrected(document)
    }
  }

  /// Returns the items that ``correctAllAttributes(in:)`` would correct.
  package func misnamedItems(in group: AccessGroup) async throws -> [MisnamedItem] {
    try await misnamedItems(in: group, removing: Self.isSignIn) { document, _ in Self.isCorrected(document) }
  }

  private static func isCorrected(_ document: CacheDocument) -> Bool {
    isSignIn(document) || document.metadata.record?.kind == .secret
  }

  private static func isSignIn(_ document: CacheDocument) -> Bool {
    document.metadata.record.map { signIns.contains($0.kind) } == true
  }

  private static let signIns: Set<RecordKind> = [.credentials, .family, .client, .groupData, .legacy]

  /// Gives items with the attributes of an app's secret whose documents are sign-ins or other secrets their own
  /// attributes.
  ///
  /// - Throws: As ``correctAttributes(ofItemsOf:clientID:in:_:)``.
  package func correctAttributes(ofItemsNamed secret: RecordKey, in group: AccessGroup) async throws {
    try await correctAttributes(in: group) { document, named in
      named == secret && Self.isCorrected(document)
    }
  }

  /// Gives items whose documents are secrets of apps their own attributes.
  ///
  /// - Returns: Whether there were any.
  /// - Throws: As ``correctAttributes(ofItemsOf:clientID:in:_:)``.
  package func correctAttributesOfSecrets(in group: AccessGroup) async throws -> Bool {
    try await correctAttributes(in: group) { document, _ in document.metadata.record?.kind == .secret }
  }

  /// Gives items whose documents are an app's secret the attributes of that secret.
  ///
  /// - Throws: As ``correctAttributes(ofItemsOf:clientID:in:_:)``.
  package func correctAttributes(ofItemsHolding secret: RecordKey, in group: AccessGroup) async throws {
    try await correctAttributes(in: group) { document, _ in document.metadata.record == secret }
  }

  private func misnamedItems(
    in group: AccessGroup, removing isRemoved: (CacheDocument) -> Bool,
    where isChosen: (_ document: CacheDocument, _ named: RecordKey?) -> Bool
  ) async throws -> [MisnamedItem] {
    if try await usesAgent(for: group) { return [] }
    return try await guarded { client in
      let paths = try await client.search(ItemAttributes.owner(group)).unlocked
      let attributes = try await client.attributes(of: paths)
      let secrets = try await client.secrets(of: paths)
      let foreign = try await client.foreign(among: attributes)
      let chosen: [(item: MisnamedItem, isRemoved: Bool)] = attributes.compactMap { path, attributes in
        let name = ItemAttributes.key(attributes)
        guard !foreign.contains(path), attributes["kind"] != RecordKind.damaged.rawValue,
          let document = secrets[path]?.document, let record = document.metadata.record,
          record != name, isChosen(document, name)
        else { return nil }
        let item = MisnamedItem(
          path: path, attributes: attributes,
          record: MisnamedRecord(name: name, record: Record(key: record, document: document)))
        return (item, isRemoved(document))
      }
      let standings = try await GroupProof(client: client, group: group)
        .standings(of: Set(chosen.filter { !$0.isRemoved }.map(\.item.path.parent)))
      return chosen.filter { $0.isRemoved || standings[$0.item.path.parent] == .proven }.map(\.item)
    }
  }

  @discardableResult
  private func correctAttributes(
    in group: AccessGroup, removing isRemoved: (CacheDocument) -> Bool = { _ in false },
    where isChosen: (_ document: CacheDocument, _ named: RecordKey?) -> Bool
  ) async throws -> Bool {
    let misnamed = try await misnamedItems(in: group, removing: isRemoved, where: isChosen)
    var failures = RecordFailures()
    for item in misnamed {
      let (path, record) = (item.path, item.key)
      try await failures.attempt(record) {
        try await changing(group, within: options.timeout) { client in
          try await FileLock(.write, of: record, in: group).run {
            do {
              // Another program's item may have the path by now.
              guard try await client.attributes(of: path) == item.attributes,
                try await client.secrets(of: [path])[path]?.document?.metadata.record == record
              else { return }
              try await client.setAttributes(withSchema: ItemAttributes.all(record, in: group), of: path)
            } catch let error as BusError where error.meaning == .noSuchObject {}
          }
        }
      }
    }
    try failures.check()
    return !misnamed.isEmpty
  }
}
