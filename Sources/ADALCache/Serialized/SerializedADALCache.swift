// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import UnifiedCache

/// The ADAL items that an app keeps in memory and stores as one serialized cache, as with ADAL for macOS.
///
/// ```swift
/// let joined = SerializedADALCache().joined(to: backend, delegate: Blob())
/// ```
public actor SerializedADALCache {
  private var tokens: [RecordKey: ADALToken] = [:]

  /// Creates an empty cache.
  public init() {}

  /// Returns a back end that joins this cache with an access group.
  ///
  /// It is for an app with ADAL that keeps its own serialized cache and wants to share sign-in with a group. With
  /// the back end, the app's ``ADALTokenCache`` or `TokenCache` finds the ADAL items of both, and the newer of two
  /// copies. It writes changes to both. All other records are kept in the group only. A sign-out in the group also
  /// applies to this cache.
  ///
  /// - Parameters:
  ///   - group: The group's back end.
  ///   - delegate: The app's code that loads and stores the serialized cache.
  public nonisolated func joined(
    to group: any TokenCacheBackend, delegate: any SerializedADALCacheDelegate
  ) -> any TokenCacheBackend {
    SerializedADALBackend(over: group, cache: self, delegate: delegate)
  }

  /// Returns the whole cache as ADAL for macOS serializes it: a keyed archive, with tokens in clear text.
  public func serialized() throws(SecretStoreError) -> [UInt8] {
    try ADALFile(tokens: Array(tokens.values)).serialized(as: .objc).bytes
  }

  /// Replaces the content with a serialized cache; no bytes mean an empty cache.
  ///
  /// - Throws: `invalidFile` when the bytes are not such a cache; the content stays as it was.
  public func load(_ bytes: [UInt8]) throws(SecretStoreError) {
    let loaded = bytes.isEmpty ? [] : try ADALFile(parsing: bytes, as: .objc).tokens
    tokens = Dictionary(loaded.map { (.legacy($0), $0) }) { first, _ in first }
  }

  /// The items.
  public var items: [ADALToken] { Array(tokens.values) }

  func item(for key: RecordKey) -> ADALToken? { tokens[key] }

  /// Sets an item, or removes it for `nil`.
  func set(_ token: ADALToken?, for key: RecordKey) { tokens[key] = token }
}

extension SerializedADALCache: CustomReflectable {
  /// A mirror without children.
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
