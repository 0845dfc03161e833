// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import StrictJSON

/// An instance discovery response of Azure AD, which lists the hosts of each cloud.
package struct InstanceDiscovery: Sendable, Hashable {
  /// A cloud, with its host for requests, its host for cache entries, and all of its hosts.
  package struct Cloud: Sendable, Hashable {
    /// The host for requests, in lower case.
    package let preferredNetwork: String
    /// The host under which entries are stored, in lower case.
    package let preferredCache: String
    /// All hosts of the cloud, in lower case.
    package let aliases: [String]
  }

  /// The clouds, in the order of the response.
  package let clouds: [Cloud]

  /// Reads the `metadata` of a response.
  ///
  /// - Throws: `invalidResponse` when the body is not a JSON object, has no `metadata`, or has a malformed entry. An
  ///   incomplete list of aliases would split one cloud into two.
  package init(parsing body: [UInt8]) throws(SecretStoreError) {
    guard let entries = JSONValue.lenientObject(body)?["metadata"]?.arrayValue else {
      throw SecretStoreError(.invalidResponse, "The instance discovery response has no metadata.")
    }
    var clouds: [Cloud] = []
    for entry in entries {
      guard let cloud = Self.cloud(entry) else {
        throw SecretStoreError(.invalidResponse, "The instance discovery response has a malformed entry.")
      }
      clouds.append(cloud)
    }
    self.clouds = clouds
  }

  init(clouds: [Cloud]) { self.clouds = clouds }

  /// Reads a cloud, or returns `nil` when a member is missing, has another type, or is not a host name.
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
