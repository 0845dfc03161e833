// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

/// A new group, used by an app that shares no lock, and by a writer without a lock that knows the item.
struct UnsharedGroup {
  let group: AccessGroup
  let backend: SecretServiceBackend
  let client = SecretServiceClient()

  init(timeout: Duration = .seconds(10)) throws {
    _ = try PrivateSession.control
    group = try AccessGroup(PrivateSession.uniqueGroup())
    backend = Self.store(timeout: timeout).unrestrictedBackend(for: group)
  }

  static func store(timeout: Duration = .seconds(10), leaseTimeout: Duration = .seconds(30)) -> SecretStore {
    var options = SecretStoreOptions()
    options.leaseTimeout = leaseTimeout
    options.sharesLocks = false
    options.timeout = timeout
    return SecretStore(options: options)
  }

  var attributes: [String: String] { ItemAttributes.all(ServiceSupport.note, in: group) }

  /// The record's items.
  func items() async throws -> [ObjectPath] { try await client.search(attributes).unlocked }

  func item() async throws -> ObjectPath { try #require(try await items().first) }

  func bytes() async throws -> [UInt8] {
    let item = try await item()
    return Array(try #require(try await client.secrets(of: [item])[item]).data)
  }

  func text() async throws -> String? {
    try await ServiceSupport.read(SecretStore().unrestrictedBackend(for: group))
  }

  static func text(_ document: CacheDocument?) -> String? {
    guard let document else { return nil }
    let json = try? JSONSerialization.jsonObject(with: Data(document.serialized())) as? [String: Any]
    return json?["Note"] as? String
  }

  /// The bytes with another text, as stored by a writer that has read them.
  static func bytes(_ bytes: [UInt8], saying text: String, revision: Int? = nil) throws -> [UInt8] {
    var json = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    json["Note"] = text
    if let revision {
      var own = json["SecretStoreCache"] as? [String: Any] ?? [:]
      own["revision"] = revision
      json["SecretStoreCache"] = own
    }
    return Array(try JSONSerialization.data(withJSONObject: json))
  }

  /// A record as created by a writer that has found none.
  func newRecord(_ text: String) throws -> [UInt8] {
    let empty: CacheDocument? = nil
    let document = try ServiceSupport.document(text)
    let (_, action) = try RecordChange.apply({ $0 = document }, to: empty, key: ServiceSupport.note)
    guard case .write(let written) = action else { return [] }
    return written.serialized()
  }

  /// Creates an item of the record.
  func replaceItem(_ bytes: [UInt8]) async throws {
    let place = try #require(try await GroupFinder(client: client, group: group).find())
    _ = try await client.createItem(
      in: place.collection, label: "planted", attributes: attributes, schema: ItemAttributes.schema,
      secret: bytes)
  }

  /// Removes the record, and plants it again, unchanged, before the first verification.
  func removeWhilePlanted(through backend: SecretServiceBackend) async throws {
    let stale = try await bytes()
    let isBack = Locked(false)
    try await OptimisticWrite.$whileSettling.withValue({
      let wasBack = isBack.withLock { isBack in
        defer { isBack = true }
        return isBack
      }
      if !wasBack { try await replaceItem(stale) }
    }) { try await backend.remove(ServiceSupport.note) }
    #expect(isBack.withLock { $0 })
  }

  /// Writes, and runs a hook between the first read and the write.
  ///
  /// - Returns: The record that each attempt started from.
  func write(
    _ text: String, after meanwhile: (@Sendable () async throws -> Void)? = nil
  ) async throws -> [String?] {
    let seen = Locked<[String?]>([])
    let document = try ServiceSupport.document(text)
    let change: @Sendable (inout CacheDocument?) throws -> Void = { stored in
      let isFirst = seen.withLock { seen in
        seen.append(Self.text(stored))
        return seen.count == 1
      }
      if isFirst, let meanwhile {
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
          defer { isDone.signal() }
          try await meanwhile()
        }
        isDone.wait()
      }
      stored = document
    }
    // A retry because of a busy machine would count, too.
    try await OptimisticWrite.$length.withValue(.seconds(30)) {
      try await backend.update(ServiceSupport.note, change)
    }
    return seen.withLock { $0 }
  }

  /// Writes, and runs a hook before the first verification.
  ///
  /// - Parameter body: Gets the written bytes.
  func write(
    _ text: String, verifiedAfter body: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async throws -> [String?] {
    let isDone = Locked(false)
    return try await OptimisticWrite.$whileSettling.withValue({
      // The write has not been sent, and its notification is pending.
      if try await items().isEmpty { return }
      let wasDone = isDone.withLock { isDone in
        defer { isDone = true }
        return isDone
      }
      if !wasDone { try await body(bytes()) }
    }) { try await write(text) }
  }
}
