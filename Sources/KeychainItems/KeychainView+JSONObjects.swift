// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import StrictJSON
public import UnifiedCache

/// Items that are neither credentials nor accounts nor metadata: JSON objects, each with a key of its own.
extension KeychainView {
  /// Saves an object in place of the one with the key's account and service.
  ///
  /// ```swift
  /// let key = KeychainItemKey(account: "useSingleFRT", service: "useSingleFRT")
  /// try await view.save(["use_single_frt": true], for: key)
  /// ```
  ///
  /// The account may be empty. Exports do not contain such items.
  ///
  /// - Throws: `invalidArgument` for a key without a service or with a control character, and for a key whose type
  ///   is that of other items; `corruptItem` when the stored record can't be read, and nothing is written then; and
  ///   errors of the back end.
  public func save(_ object: JSONObject, for key: KeychainItemKey) async throws {
    try Self.checkObject(key)
    try await backend.update(KeychainObject.record(of: key)) { stored in
      var document = stored ?? CacheDocument()
      _ = try KeychainObject(in: stored)
      KeychainObject(key: key, value: object).write(to: &document)
      stored = document
    }
  }

  /// Reads the object of a key.
  ///
  /// - Returns: The object, or `nil` when there is none.
  /// - Throws: `invalidArgument` for a key without a service or with a control character, and for a key whose type
  ///   is that of other items; `corruptItem` when the record can't be read; and errors of the back end.
  public func jsonObject(for key: KeychainItemKey) async throws -> JSONObject? {
    try Self.checkObject(key)
    let document = try await backend.record(for: KeychainObject.record(of: key))?.document()
    let item = try KeychainObject(in: document)
    return item.flatMap { KeychainItemQuery(key).matches($0.key) ? $0.value : nil }
  }

  /// Reads the objects that match a query, by key; skips those that can't be read.
  ///
  /// Create the query with ``KeychainItemQuery/items(account:service:generic:type:)``.
  ///
  /// - Throws: Errors of the back end.
  public func jsonObjects(matching query: KeychainItemQuery) async throws -> [KeychainItemKey: JSONObject] {
    var objects: [KeychainItemKey: JSONObject] = [:]
    for record in try await backend.records(matching: .all(.groupData))
    where record.key.isKeychainObject {
      guard let item = try? KeychainObject(in: record.document()), query.matches(item.key) else { continue }
      objects[item.key] = item.value
    }
    return objects
  }

  /// Removes the object of a key, and nothing else.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: The errors of ``jsonObject(for:)``.
  @discardableResult
  public func removeJSONObject(_ key: KeychainItemKey) async throws -> Bool {
    guard try await jsonObject(for: key) != nil else { return false }
    return try await backend.update(KeychainObject.record(of: key)) { stored in
      let item = try KeychainObject(in: stored)
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
