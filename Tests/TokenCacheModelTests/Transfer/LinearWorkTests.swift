// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Work grows linearly with the input")
struct LinearWorkTests {
  /// The dimension in which a cache is large.
  enum Shape: String, CaseIterable, Sendable {
    case tokensOfOneAccount, accounts, clients, tenants, idTokens, renamedKeys
  }

  private static func cache(_ shape: Shape, _ count: Int, secret: String = "s") -> JSONObject {
    func account(_ id: String, _ realm: String) -> JSONValue {
      ["home_account_id": .string(id), "environment": "login.windows.net", "realm": .string(realm)]
    }
    var (tokens, ids) = (JSONObject(), JSONObject())
    var accounts: JSONObject = ["own": account("uid.utid", "own")]
    var metadata: JSONObject = [:]
    for number in 0..<count {
      let name = "\(number)"
      var changes: JSONObject = [:]
      switch shape {
      case .tokensOfOneAccount, .renamedKeys: changes["target"] = .string("s\(name)")
      case .accounts:
        changes["home_account_id"] = .string(name)
        accounts[name] = account(name, "tenant")
      case .clients:
        changes["client_id"] = .string("c\(name)")
        metadata[name] = ["client_id": .string("c\(name)"), "environment": "login.windows.net"]
      case .tenants, .idTokens:
        changes["realm"] = .string(name)
        accounts[name] = account("uid.utid", name)
        if shape == .idTokens {
          ids[name] = .object(EntryBuilder.fields(.idToken, changing: ["realm": .string(name)]))
        }
      }
      let fields = EntryBuilder.fields(.accessToken, secret: secret, changing: changes)
      tokens[shape == .renamedKeys ? "\(secret)-\(name)" : name] = .object(fields)
    }
    return [
      "AccessToken": .object(tokens), "IdToken": .object(ids), "Account": .object(accounts),
      "AppMetadata": .object(metadata),
    ]
  }

  @Test(
    "Imports, a dry run, repeated and newer imports, and an export take linear work",
    arguments: Shape.allCases)
  func transfer(_ shape: Shape) async throws {
    for isDryRun in [false, true] {
      try await LinearWork.expect { count in
        let transfer = CacheTransfer(backend: InMemoryBackend())
        var newer = Self.cache(shape, count, secret: "newer")
        for (name, value) in newer["AccessToken"]?.objectValue ?? [:] {
          var fields = value.objectValue ?? [:]
          fields["cached_at"] = "1700000600"
          var section = newer["AccessToken"]?.objectValue ?? [:]
          section[name] = .object(fields)
          newer["AccessToken"] = .object(section)
        }
        let files = [Self.cache(shape, count).bytes, Self.cache(shape, count).bytes, newer.bytes]
        var options = ImportOptions()
        options.isDryRun = isDryRun
        return try await WorkMeter.measuring {
          for file in files { _ = try await transfer.importUnified(file, options: options) }
          _ = try await transfer.exportUnified()
        }
      }
    }
  }

  @Test("Listing the accounts of a planted document takes linear work", arguments: Shape.allCases)
  func accounts(_ shape: Shape) async throws {
    try await LinearWork.expect { count in
      let key = RecordKey.credentials(
        homeAccountID: "uid.utid", environment: "login.windows.net", clientID: "client")
      var document = Self.cache(shape, count)
      var metadata = DocumentMetadata()
      metadata.record = key
      document[CacheDocument.metadataSection] = .object(metadata.fields)
      let backend = InMemoryBackend()
      await backend.storeRaw(document.bytes, for: key)
      return try await WorkMeter.measuring {
        let accounts = try await AccountDirectory(backend: backend).accounts()
        #expect(!accounts.isEmpty)
      }
    }
  }

  @Test("Saving and removing in a document with many entries take linear work")
  func oneOfMany() async throws {
    try await LinearWork.expect { count in
      var document = try CacheDocument(parsing: Self.cache(.tokensOfOneAccount, count).bytes)
      return await WorkMeter.measuring {
        if let token = EntryBuilder.credential(.accessToken) { document.put(token) }
        document.removeCredentials { _ in true }
        #expect(document.credentials.isEmpty)
      }
    }
  }

  @Test("A record above the maximum size is refused before it is read")
  func largeRecord() async throws {
    let key = RecordKey.groupData("large")
    var document = CacheDocument()
    document.metadata.record = key
    document[member: "text"] = .string("x")
    let room = CacheDocument.maximumBytes - document.serialized().count + 1
    for (count, code) in [(room, nil), (room + 1, SecretStoreError.Code.corruptItem)] {
      document[member: "text"] = .string(String(repeating: "x", count: count))
      let bytes = document.serialized()
      #expect(bytes.count == CacheDocument.maximumBytes + count - room)
      var read: SecretStoreError?
      let steps = await WorkMeter.measuring {
        do throws(SecretStoreError) { _ = try Record(key: key, bytes: bytes).document() } catch {
          read = error
        }
      }
      #expect(read?.code == code)
      #expect((steps == 0) == (code != nil), "\(steps) steps")
    }
  }
}
