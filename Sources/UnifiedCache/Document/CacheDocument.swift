// SPDX-License-Identifier: MIT

public import KeychainGroupModel
package import StrictJSON

/// A unified cache document: the JSON format of all MSALs except Apple's, plus a section of this package.
///
/// A stored document holds the entries of one account and client. An exported document holds a whole group. Sections
/// and entries that this version doesn't know are kept unchanged. An entry keeps the form of the key that it came with;
/// a new one has its key in the form of MSAL.NET and MSAL Java. No entry is found by its key. The description shows no
/// content.
public struct CacheDocument: Sendable, Hashable {
  /// The largest record that is stored or read, in bytes.
  ///
  /// A D-Bus array is limited to 64 MiB, and the bus disconnects a daemon that sends a larger one. One `GetSecrets`
  /// reply carries up to twenty records of this size.
  public static let maximumBytes = 1_600_000

  /// The sign-in state of an app.
  public enum SignInState: String, Sendable {
    /// The app signed in, or received a token silently.
    case signedIn = "signed_in"
    /// The app signed out.
    ///
    /// It receives no token until it signs in again.
    case signedOut = "signed_out"
  }

  /// The name of this package's own section.
  static let metadataSection = "SecretStoreCache"

  /// The whole document.
  package private(set) var root: JSONObject

  /// Creates an empty document.
  public init() { root = [:] }

  /// Creates a document with only this package's own section.
  init(metadata: DocumentMetadata) {
    self.init()
    self.metadata = metadata
  }

  /// Reads a document.
  ///
  /// - Throws: `corruptItem` when the bytes are not a JSON object by RFC 8259, or a known section is not an object. A
  ///   duplicate member, a trailing comma and more than 64 levels of nesting are errors, too.
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
    let sections = CacheSection.allCases.map(\.rawValue) + [Self.metadataSection]
    for name in sections {
      if let section = root[name], section.objectValue == nil {
        throw SecretStoreError(.corruptItem, "The cache document's section \(name) is no object.")
      }
    }
    self.root = root
  }

  /// Reads the document of a stored record.
  ///
  /// A document that another program may have planted is refused as unreadable. So it is reported, and is neither used
  /// nor changed.
  ///
  /// - Throws: `corruptItem` when the item is larger than a record may be, is not a document, is in the format of a
  ///   newer version, has an identifier with a control character, or holds an ADAL token that can't be read.
  package init(stored bytes: [UInt8]) throws(SecretStoreError) {
    guard bytes.count <= Self.maximumBytes else {
      throw SecretStoreError(.corruptItem, "The item is larger than \(Self.maximumBytes) bytes.")
    }
    try self.init(parsing: bytes)
    guard !metadata.isOfNewerVersion else {
      throw SecretStoreError(
        .corruptItem, "A newer version wrote the item, in format \(metadata.format); update this app.")
    }
    if let unsafe = unsafeEntries.first {
      throw SecretStoreError(.corruptItem, "The item's \(unsafe.description).")
    }
    if hasUnreadableADALToken {
      throw SecretStoreError(.corruptItem, "The item holds a token of ADAL's that can't be read.")
    }
  }

  /// Returns the document as compact JSON in UTF-8.
  public func serialized() -> [UInt8] { JSONValue.object(root).serialized() }

  /// This package's own section.
  package var metadata: DocumentMetadata {
    get { DocumentMetadata(fields: root[Self.metadataSection]?.objectValue ?? [:]) }
    set { root[Self.metadataSection] = .object(newValue.fields) }
  }

  /// The document without this package's own section.
  var withoutMetadata: CacheDocument {
    var document = self
    document.root[Self.metadataSection] = nil
    return document
  }

  /// The raw entries of a section, as they are stored.
  package subscript(section: CacheSection) -> JSONObject {
    get { root[section.rawValue]?.objectValue ?? [:] }
    set { root[section.rawValue] = newValue.isEmpty ? nil : .object(newValue) }
  }

  /// A member of the root object, of any type.
  package subscript(member name: String) -> JSONValue? {
    get { root[name] }
    set { root[name] = newValue }
  }
}

extension CacheDocument: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without any content.
  public var description: String { "CacheDocument(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
