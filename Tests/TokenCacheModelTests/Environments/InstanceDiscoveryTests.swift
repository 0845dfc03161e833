// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Instance discovery")
struct InstanceDiscoveryTests {
  @Test("The clouds are read with their hosts in lower case")
  func clouds() throws {
    let discovery = try InstanceDiscovery(
      parsing: Array(
        #"""
        {"tenant_discovery_endpoint":"https://x","api-version":"1.1","metadata":[{"preferred_network":"Login.New.Example",
        "preferred_cache":"cache.new.example","aliases":["LOGIN.new.example","cache.new.example"],"more":1}]}
        """#.utf8))
    #expect(discovery.clouds.map(\.preferredNetwork) == ["login.new.example"])
    #expect(discovery.clouds.map(\.preferredCache) == ["cache.new.example"])
    #expect(discovery.clouds.map(\.aliases) == [["login.new.example", "cache.new.example"]])
  }

  private static let good =
    #"{"preferred_network":"a.example","preferred_cache":"a.example","aliases":["a.example"]}"#

  @Test(
    "A response with one malformed entry is refused entirely",
    arguments: [
      "", "[]", "{}", #"{"metadata":{}}"#, #"{"metadata":null}"#, #"{"metadata":[1]}"#,
      #"{"metadata":[{}]}"#,
      #"{"metadata":[\#(good),{"preferred_network":"b.example","aliases":["b.example"]}]}"#,
      #"{"metadata":[\#(good),{"preferred_cache":"b.example","aliases":["b.example"]}]}"#,
      #"{"metadata":[{"preferred_network":"b.example","preferred_cache":"b.example"}]}"#,
      #"{"metadata":[{"preferred_network":"b.example","preferred_cache":"b.example","aliases":[]}]}"#,
      #"{"metadata":[{"preferred_network":"b.example","preferred_cache":"b.example","aliases":"b.example"}]}"#,
      #"{"metadata":[{"preferred_network":"b.example","preferred_cache":"b.example","aliases":["b.example",5]}]}"#,
      #"{"metadata":[{"preferred_network":"b.example/x","preferred_cache":"b.example","aliases":["b.example"]}]}"#,
      #"{"metadata":[{"preferred_network":"","preferred_cache":"b.example","aliases":["b.example"]}]}"#,
      #"{"metadata":[{"preferred_network":"b.example","preferred_cache":"u@b.example","aliases":["b.example"]}]}"#,
    ])
  func malformed(body: String) {
    #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try InstanceDiscovery(parsing: Array(body.utf8))
    }
  }

  private func learnt(_ clouds: [InstanceDiscovery.Cloud]) -> EnvironmentAliases {
    var aliases = EnvironmentAliases.shipped
    aliases.learn(InstanceDiscovery(clouds: clouds))
    return aliases
  }

  private func cloud(_ cache: String, _ aliases: [String]) -> InstanceDiscovery.Cloud {
    InstanceDiscovery.Cloud(preferredNetwork: aliases[0], preferredCache: cache, aliases: aliases)
  }

  @Test("The hosts of an environment are the preferred one, the requested one and the others, each once")
  func order() {
    let aliases = learnt([cloud("cache.example", ["login.example", "cache.example", "old.example"])])
    #expect(aliases.hosts(of: "Old.example") == ["cache.example", "old.example", "login.example"])
    #expect(aliases.hosts(of: "id.contoso.com") == ["id.contoso.com"])
    #expect(
      aliases.hosts(of: "login.microsoftonline.com")
        == ["login.windows.net", "login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"])
  }

  @Test("A learned host of a built-in cloud belongs to it, under the cloud's canonical host")
  func extending() {
    let aliases = learnt([cloud("login.windows.net", ["login.microsoftonline.com", "login.new.example"])])
    #expect(aliases.canonical("login.new.example") == "login.windows.net")
    #expect(aliases.areSame("login.new.example", "sts.windows.net"))
  }

  @Test("A response does not change the built-in table")
  func shipped() {
    let aliases = learnt([
      cloud("login.microsoftonline.us", ["login.microsoftonline.us", "login.usgovcloudapi.net"])
    ])
    #expect(aliases == .shipped)
    #expect(aliases.canonical("login.usgovcloudapi.net") == "login.microsoftonline.us")
  }

  @Test("A newer response about a learned cloud replaces the older one")
  func newer() {
    var aliases = learnt([cloud("one.example", ["login.example", "one.example"])])
    aliases.learn(InstanceDiscovery(clouds: [cloud("two.example", ["login.example", "two.example"])]))
    #expect(aliases.canonical("login.example") == "two.example")
    #expect(aliases.canonical("one.example") == "one.example")
  }

  @Test("The group's document stores learned clouds; an unreadable one is ignored")
  func stored() throws {
    let aliases = learnt([cloud("cache.example", ["login.example", "cache.example"])])
    var document = CacheDocument()
    aliases.write(to: &document)
    let read = try CacheDocument(parsing: document.serialized())
    #expect(EnvironmentAliases(in: read) == aliases)
    #expect(EnvironmentAliases(in: nil) == .shipped)
    document[member: "environments"] = ["nonsense", 5]
    #expect(EnvironmentAliases(in: document) == .shipped)
  }
}
