// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// An instance discovery answer of Azure AD: which hosts are one cloud.
///
/// ```swift
/// let discovery = try InstanceDiscovery(parsing: body)  // of …/common/discovery/instance?api-version=1.1&…
/// try await cache.learn(discovery)
/// ```
public struct InstanceDiscovery: Sendable, Hashable {
  /// One cloud: where it is called, under which host its entries are kept, and by which hosts it is known.
  public struct Cloud: Sendable, Hashable {
    /// The host to send requests to, in lower case.
    public let preferredNetwork: String
    /// The host under which entries are kept, in lower case.
    public let preferredCache: String
    /// All hosts of the cloud, in lower case.
    public let aliases: [String]
  }

  /// The clouds, in the order of the answer.
  public let clouds: [Cloud]

  /// Reads the answer's `metadata`.
  ///
  /// - Throws: `corruptItem` when the body is no JSON object, has no `metadata`, or one entry of it is malformed:
  ///   an incomplete list of aliases would take one cloud for two.
  public init(parsing body: [UInt8]) throws(SecretStoreError) {
    guard let entries = JSONValue.lenientObject(body)?["metadata"]?.arrayValue else {
      throw SecretStoreError(.corruptItem, "The instance discovery answer has no metadata.")
    }
    var clouds: [Cloud] = []
    for entry in entries {
      guard let cloud = Self.cloud(entry) else {
        throw SecretStoreError(.corruptItem, "The instance discovery answer has a malformed entry.")
      }
      clouds.append(cloud)
    }
    self.clouds = clouds
  }

  init(clouds: [Cloud]) { self.clouds = clouds }

  /// Reads one cloud; `nil` when a member is missing, of another type, or no host name.
  static func cloud(_ entry: JSONValue) -> Cloud? {
    guard let members = entry.objectValue, let network = host(members["preferred_network"]),
      let cache = host(members["preferred_cache"]), let names = members["aliases"]?.arrayValue
    else { return nil }
    let aliases = names.compactMap(host)
    guard !aliases.isEmpty, aliases.count == names.count else { return nil }
    return Cloud(preferredNetwork: network, preferredCache: cache, aliases: aliases)
  }

  private static func host(_ value: JSONValue?) -> String? {
    guard let text = value?.stringValue?.lowercased(), (1...253).contains(text.utf8.count) else { return nil }
    let allowed = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":")].contains(byte)
    }
    return allowed ? text : nil
  }
}
