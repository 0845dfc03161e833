// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Items that are neither credentials nor accounts nor metadata: a JSON object each, under a key of its own.
extension KeychainView {
  /// Saves an object in place of the one that has the key's account and service.
  ///
  /// ```swift
  /// let key = KeychainItemKey(account: "useSingleFRT", service: "useSingleFRT")
  /// try await view.save(["use_single_frt": true], for: key)
  /// ```
  ///
  /// The account may be empty. No such item goes into an export.
  ///
  /// - Throws: `invalidArgument` for a key without a service, and for one whose type is that of other items;
  ///   `corruptItem` when what is stored can't be read, and then nothing is written; and whatever the back end
  ///   throws.
  public func save(_ object: JSONObject, for key: KeychainItemKey) async throws {
    try Self.checkObject(key)
    try await backend.update(KeychainObject.record(of: key)) { stored in
      var document = stored ?? CacheDocument()
      KeychainObject(key: key, value: object).write(to: &document)
      stored = document
    }
  }

  /// The object of a key.
  ///
  /// - Returns: The object, or `nil` when there is none.
  /// - Throws: `invalidArgument` for a key without a service; `corruptItem` when the item can't be read; and whatever
  ///   the back end throws.
  public func jsonObject(for key: KeychainItemKey) async throws -> JSONObject? {
    try Self.checkObject(key)
    let document = try await backend.record(for: KeychainObject.record(of: key))?.document()
    let item = KeychainObject(in: document)
    return item.flatMap { KeychainItemQuery(key).matches($0.key) ? $0.value : nil }
  }

  /// The objects that a query finds, each with its key; ``KeychainItemQuery/items(account:service:generic:type:)``
  /// makes one.
  ///
  /// - Throws: `corruptItem` when one of the group's objects can't be read, and whatever the back end throws.
  public func jsonObjects(matching query: KeychainItemQuery) async throws -> [KeychainItemKey: JSONObject] {
    var objects: [KeychainItemKey: JSONObject] = [:]
    for record in try await backend.records(matching: .all(.groupData))
    where KeychainObject.isRecord(record.key) {
      guard let item = KeychainObject(in: try record.document()), query.matches(item.key) else { continue }
      objects[item.key] = item.value
    }
    return objects
  }

  /// Removes the object of a key, and nothing else.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``jsonObject(for:)`` does; and whatever the back end throws.
  @discardableResult
  public func removeJSONObject(_ key: KeychainItemKey) async throws -> Bool {
    guard try await jsonObject(for: key) != nil else { return false }
    return try await backend.update(KeychainObject.record(of: key)) { stored in
      let item = KeychainObject(in: stored)
      if item.map({ KeychainItemQuery(key).matches($0.key) }) != true { return false }
      stored = nil
      return true
    }
  }

  private static func checkObject(_ key: KeychainItemKey) throws(SecretStoreError) {
    try check(key)
    if KeychainObject.hasForeignType(key) {
      throw SecretStoreError(.invalidArgument, "The key's type is that of other items than JSON objects.")
    }
  }
}
