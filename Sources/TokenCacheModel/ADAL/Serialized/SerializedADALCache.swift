// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// ADAL's items in memory, which an app stores as one blob of its own, as ADAL for macOS has it.
///
/// ```swift
/// let blob = SerializedADALCache()
/// let backend = SerializedADALBackend(over: try store.backend(for: app), cache: blob, delegate: Blob())
/// ```
///
/// ``SerializedADALBackend`` joins it with an access group.
public actor SerializedADALCache {
  private var tokens: [RecordKey: ADALToken] = [:]

  /// Makes an empty cache.
  public init() {}

  /// The whole cache as ADAL for macOS serialises it: a keyed archive.
  ///
  /// It holds tokens in clear.
  public func serialized() throws(SecretStoreError) -> [UInt8] {
    try ADALFile(tokens: Array(tokens.values)).serialized(as: .objc).bytes
  }

  /// Puts a serialised cache in the place of what is there; no bytes are an empty cache.
  ///
  /// - Throws: `corruptItem` when the bytes are no such cache, and then what is there stays.
  public func load(_ bytes: [UInt8]) throws(SecretStoreError) {
    let loaded = bytes.isEmpty ? [] : try ADALFile(parsing: bytes, as: .objc).tokens
    tokens = Dictionary(loaded.map { (.legacy($0), $0) }) { first, _ in first }
  }

  /// The items.
  public var items: [ADALToken] { Array(tokens.values) }

  func item(for key: RecordKey) -> ADALToken? { tokens[key] }

  /// Puts an item in, or takes it out when there is none.
  func set(_ token: ADALToken?, for key: RecordKey) { tokens[key] = token }
}

extension SerializedADALCache: CustomReflectable {
  /// Shows nothing of what it holds.
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
