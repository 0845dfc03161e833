// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

/// The common part of the tests on a real service.
enum ServiceSupport {
  static let note = RecordKey.groupData("note")

  static func document(_ text: String) throws -> CacheDocument {
    try CacheDocument(parsing: Array("{\"Note\":\"\(text)\"}".utf8))
  }

  /// A new group; throws outside of a private session.
  static func newGroup() throws -> AccessGroup {
    _ = try PrivateSession.control
    return try AccessGroup(PrivateSession.uniqueGroup())
  }

  /// A store with a time limit, by default that of the options.
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

  /// Writes records of a group from several writers at once.
  static func writeAtOnce(_ count: Int, to group: AccessGroup) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<count {
        tasks.addTask {
          let document = try document("\(number)")
          try await SecretStore().unrestrictedBackend(for: group).update(.groupData("\(number)")) {
            $0 = document
          }
        }
      }
      try await tasks.waitForAll()
    }
  }

  static func recordCount(of group: AccessGroup) async throws -> Int {
    try await SecretStore().unrestrictedBackend(for: group).records(matching: .all(.groupData)).count
  }

  /// Ends the daemon and starts it again: each call throws meanwhile, and later ones work.
  static func expectReconnection(to group: AccessGroup, afterDaemon end: String) async throws {
    let backend = store().unrestrictedBackend(for: group)
    try await write("before", to: backend)
    try await PrivateSession.keyring(end)
    for _ in 1...2 {
      #expect(try await code { _ = try await read(backend) } == .serviceUnavailable)
    }
    try await PrivateSession.keyring("start")
    #expect(try await read(backend) == "before")
    try await write("after", to: backend)
    #expect(try await read(backend) == "after")
  }

  /// The group that an app with a placement policy makes while a collection has the group's name.
  static func group(
    _ group: AccessGroup, besideItsNameWith policy: GroupPlacement
  ) async throws -> GroupSummary? {
    try await PrivateSession.keyring("add", group.name)
    var options = SecretStoreOptions()
    options.placement = policy
    try await write("kept", to: SecretStore(options: options).unrestrictedBackend(for: group))
    let made = try await SecretStore().groups().first { $0.group == group }
    try await PrivateSession.keyring("remove", group.name)
    return made
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

  /// Lets a process take the refresh lease of a record and be killed while it holds it.
  ///
  /// Its file is there since the record's first lease: the process fails when it would lock another one.
  static func killLeaseHolder(of key: RecordKey, in group: AccessGroup) async throws {
    try await store().unrestrictedBackend(for: group).withRefreshLease(on: key) {}
    let file = try LockFolder.find().path + "/" + FileLock(.refresh, of: key, in: group).fileName
    try await python(
      """
      import fcntl, os, signal
      reader, writer = os.pipe()
      holder = os.fork()
      if holder == 0:
          fcntl.flock(os.open(sys.argv[1], os.O_RDWR), fcntl.LOCK_EX)
          os.write(writer, b"held")
          signal.pause()
      os.close(writer)
      assert os.read(reader, 4) == b"held"
      os.kill(holder, signal.SIGKILL)
      os.waitpid(holder, 0)
      """, file)
  }

  /// Runs a Python script that uses SecretStorage, a client that does not know the library.
  @discardableResult
  static func python(_ script: String, _ arguments: String...) async throws -> String {
    let support = URL(filePath: #filePath).appending(path: "../../../Peers/support/session").standardized
      .path()
    let prelude = """
      import json, secretstorage, sys
      sys.path.insert(0, "\(support)")
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
