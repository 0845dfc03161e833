// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// A unified cache document: the JSON that every MSAL other than Apple's reads and writes, and a section of our
/// own.
///
/// A stored document holds the entries of one account and client; an exported one holds a whole group. Sections
/// and entries that this version doesn't know are kept as they are. Keys are written in MSAL.NET's and MSAL
/// Java's form and never relied on when read. Its description shows none of it.
public struct CacheDocument: Sendable, Hashable {
  /// The name of our own section.
  static let sharingSection = "SecretStoreCache"

  /// The whole document.
  private(set) var root: JSONObject

  /// Makes an empty document.
  public init() { root = [:] }

  /// Makes a document with nothing but our own section.
  init(sharing: SharingState) {
    self.init()
    self.sharing = sharing
  }

  /// Reads a document.
  ///
  /// - Throws: `corruptItem` when the bytes are no JSON object by RFC 8259 (a duplicate member, a trailing comma
  ///   or nesting over 64 levels is an error, too), or one of the known sections is no object.
  public init(parsing bytes: [UInt8]) throws(SecretStoreError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw SecretStoreError(.corruptItem, "The cache document is not valid JSON: \(error).")
    }
    guard case .object(let root) = value else {
      throw SecretStoreError(.corruptItem, "The cache document is JSON, but no object.")
    }
    let sections = CacheSection.allCases.map(\.rawValue) + [Self.sharingSection]
    for name in sections {
      if let section = root[name], section.objectValue == nil {
        throw SecretStoreError(.corruptItem, "The cache document's section \(name) is no object.")
      }
    }
    self.root = root
  }

  /// The document as compact JSON in UTF-8.
  public func serialized() -> [UInt8] { JSONValue.object(root).serialized() }

  /// Our own section.
  public internal(set) var sharing: SharingState {
    get { SharingState(fields: root[Self.sharingSection]?.objectValue ?? [:]) }
    set { root[Self.sharingSection] = .object(newValue.fields) }
  }

  /// The raw entries of a section, as they are stored.
  subscript(section: CacheSection) -> JSONObject {
    get { root[section.rawValue]?.objectValue ?? [:] }
    set { root[section.rawValue] = newValue.isEmpty ? nil : .object(newValue) }
  }

  /// A member of the root, whatever it is.
  subscript(member name: String) -> JSONValue? {
    get { root[name] }
    set { root[name] = newValue }
  }
}

extension CacheDocument: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "CacheDocument(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
