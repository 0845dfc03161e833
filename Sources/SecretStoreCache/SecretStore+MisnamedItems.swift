// SPDX-License-Identifier: MIT

package import KeychainGroupModel
package import TokenCacheModel

/// Items whose attributes name another record than their documents do: any program can change attributes.
extension SecretStore {
  /// Gives an account's items of this kind the attributes of the records that their documents name.
  ///
  /// Lists go by the documents, and a sign-out goes by the attributes. What was set aside stays so, and so do other
  /// programs' items.
  ///
  /// - Parameter directory: The accounts of the group.
  package func correctAttributes(
    ofItemsOf account: Account, in group: AccessGroup, _ directory: AccountDirectory
  ) async throws {
    try await correctAttributes(in: group, where: try await directory.ownership(of: account))
  }

  /// Gives all items of this kind that an import may replace the attributes of the records that their documents name.
  package func correctAttributesOfCaches(in group: AccessGroup) async throws {
    let kinds: Set<RecordKind> = [.credentials, .family, .client, .groupData, .legacy]
    try await correctAttributes(in: group) { $0.metadata.record.map { kinds.contains($0.kind) } == true }
  }

  private func correctAttributes(
    in group: AccessGroup, where isChosen: (CacheDocument) -> Bool
  ) async throws {
    if try await usesAgent(for: group) { return }
    let misnamed = try await guarded { client in
      let paths = try await client.search(ItemAttributes.owner(group)).unlocked
      let attributes = try await client.attributes(of: paths)
      let secrets = try await client.secrets(of: paths)
      let foreign = try await client.foreign(among: attributes)
      return attributes.compactMap { path, attributes -> (ObjectPath, RecordKey)? in
        guard !foreign.contains(path), attributes["kind"] != RecordKind.damaged.rawValue,
          let document = secrets[path]?.document, let record = document.metadata.record,
          record != ItemAttributes.key(attributes), isChosen(document)
        else { return nil }
        return (path, record)
      }
    }
    if misnamed.isEmpty { return }
    try await changing(group, within: options.timeout) { client in
      for (path, record) in misnamed {
        var attributes = ItemAttributes.all(record, in: group)
        attributes[SecretServiceClient.schemaAttribute] = ItemAttributes.schema
        do {
          try await client.setAttributes(attributes, of: path)
        } catch let error as BusError where error.meaning == .noSuchObject {}
      }
    }
  }
}
