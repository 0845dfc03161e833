// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// What the tests on the real service share.
enum ServiceSupport {
  static let note = RecordKey.groupData("note")

  static func document(_ text: String) throws -> CacheDocument {
    try CacheDocument(parsing: Array("{\"Note\":\"\(text)\"}".utf8))
  }

  /// A store that gives up soon.
  static func store(timeout: Duration = .seconds(10)) -> SecretStore {
    var options = SecretStoreOptions()
    options.timeout = timeout
    return SecretStore(options: options)
  }

  static func write(_ text: String, to backend: SecretServiceBackend) async throws {
    let document = try document(text)
    try await backend.update(note) { $0 = document }
  }

  /// What was written, or `nil` when nothing was.
  static func read(_ backend: SecretServiceBackend) async throws -> String? {
    guard let document = try await backend.record(for: note)?.document() else { return nil }
    let json = try JSONSerialization.jsonObject(with: Data(document.serialized())) as? [String: Any]
    return json?["Note"] as? String
  }

  /// The code of the error that `body` ends with.
  static func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
    do {
      try await body()
      return nil
    } catch let error as SecretStoreError {
      return error.code
    }
  }

  /// Runs a Python script that uses SecretStorage, a client that knows nothing of the library.
  @discardableResult
  static func python(_ script: String, _ arguments: String...) async throws -> String {
    let peers = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers").path()
    let prelude = """
      import json, secretstorage, sys
      sys.path.insert(0, "\(peers)")
      import sound_sessions
      connection = secretstorage.dbus_init()
      def items(**attributes):
          return list(secretstorage.search_items(connection, attributes))
      def default_collection():
          collection = secretstorage.get_default_collection(connection)
          if collection.is_locked():  # KWallet's is until a program asks, also when its wallet is open
              collection.unlock()
          return collection

      """
    return try await PrivateSession.run(PrivateSession.python, ["-c", prelude + script] + arguments)
  }
}
