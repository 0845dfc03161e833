// SPDX-License-Identifier: MIT

/// A tool of somebody else's that keeps a token cache of its own, and the places where it may keep it.
package struct Partner: Sendable {
  /// The name that commands take, such as `azure-cli`.
  package let name: String
  /// The name that users know.
  package let title: String
  /// The client ID that the tool signs in with; `nil` when each app has its own.
  package let clientID: String?
  package let places: [Place]

  init(_ name: String, _ title: String, clientID: String? = nil, _ places: [Place]) {
    self.name = name
    self.title = title
    self.clientID = clientID
    self.places = places
  }

  /// One cache of a tool: an item of the Secret Service with its companion files, or a file.
  package struct Place: Sendable {
    /// How a cache's content is kept.
    package enum Content: Sendable {
      /// The unified cache, as JSON or as Base64 of it.
      case cache
      /// A record of an account, without a token.
      case accountRecord
      /// Encrypted by a key that only the tool uses, or no token cache.
      case opaque
    }

    let item: Item?
    /// The cache's files, or the companion files of an item, which notify the tool of a change.
    ///
    /// A tool that can't use the Secret Service writes its cache into the companion file.
    let files: [String]
    /// The lock files that together exclude every program that writes here, in the order in which they are taken.
    let locks: [PartnerLock.File]
    let content: Content
    /// What the tools that write here do to each other.
    let warning: String?
  }

  /// The attributes that a tool finds its item by.
  package struct Item: Sendable {
    let schema: String
    /// Whether the tool compares the schema, too.
    let comparesSchema: Bool
    let attributes: [String: String]
    /// An attribute that only another tool's item has.
    let excluded: String?

    init(
      _ schema: String, comparesSchema: Bool = true, _ attributes: [String: String] = [:],
      excluded: String? = nil
    ) {
      self.schema = schema
      self.comparesSchema = comparesSchema
      self.attributes = attributes
      self.excluded = excluded
    }

    static let schemaAttribute = "xdg:schema"

    /// The attributes to search by.
    ///
    /// A collection that was locked since the daemon started does not know the schemas of its items.
    var searched: [String: String] { attributes.isEmpty ? [Self.schemaAttribute: schema] : attributes }

    /// Returns whether an item that a search found is the tool's.
    func fits(_ found: [String: String]) -> Bool {
      if comparesSchema && found[Self.schemaAttribute] != schema { return false }
      if let excluded, found[excluded] != nil { return false }
      return attributes.allSatisfy { found[$0.key] == $0.value }
    }

    /// The item in words.
    package var description: String {
      let others = attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return (["item \(schema)"] + others).joined(separator: " ")
    }
  }
}

extension Partner.Place {
  /// A file that holds the cache in plain text.
  static func file(
    _ path: String, lock: String? = nil, keepsLock: Bool = false, content: Content = .cache
  ) -> Self {
    let locks = content == .cache ? [PartnerLock.File(lock ?? "\(path).lockfile", isKept: keepsLock)] : []
    return Self(item: nil, files: [path], locks: locks, content: content, warning: nil)
  }

  /// An item with companion files, each of which has a lock file beside it.
  static func item(
    _ item: Partner.Item, _ files: [String], locks: [String] = [], content: Content = .cache,
    warning: String? = nil
  ) -> Self {
    let paths = locks.isEmpty ? files.map { "\($0).lockfile" } : locks
    return Self(
      item: item, files: files, locks: paths.map { PartnerLock.File($0) }, content: content, warning: warning)
  }

  /// Where the cache is, in words.
  package var location: String { item?.description ?? files.first ?? "" }
}
