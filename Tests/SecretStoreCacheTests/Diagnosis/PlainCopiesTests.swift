// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

extension ServiceTests {
  @Suite("Unencrypted copies of a group", .serialized)
  struct PlainCopiesTests {
    private let name: String
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      name = PrivateSession.uniqueGroup()
      group = try AccessGroup(name)
    }

    @Test("A repair deletes no unencrypted copy that changes after the comparison", arguments: [false, true])
    func changedCopy(isChanged: Bool) async throws {
      try await ServiceSupport.write("kept", to: SecretStore().unrestrictedBackend(for: group))
      let path = try await ServiceSupport.python(
        """
        from keyrings import Keyrings
        [item] = items(kind="group-data", group=sys.argv[1])
        plain = Keyrings(connection).make(sys.argv[1], "")
        plain.create_item(item.get_label(), item.get_attributes(), item.get_secret())
        print(plain.collection_path)
        """, name
      ).trimmingCharacters(in: .newlines)
      let client = SecretServiceClient()
      let own = try #require(try await GroupProof(client: client, group: group).home()?.collection)
      try await CollectionRepair(client: client, group: group).removePlainCopies(of: own) {
        if isChanged {
          try await ServiceSupport.python(
            "secretstorage.Item(connection, sys.argv[1] + '/1').set_secret(b'changed')", path)
        }
      }
      let collection = try #require(ObjectPath(path))
      #expect(try await client.isLocked(collection) == (isChanged ? false : nil))
      if isChanged { try await client.deleteCollection(collection, .never) }
    }
  }
}
