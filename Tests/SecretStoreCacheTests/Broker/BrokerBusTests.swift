// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing
import TokenCacheModel

extension ServiceTests {
  /// A cache that uses a broker on the session bus, over a group in the keyring.
  @Suite("A broker on the session bus", .serialized)
  final class BrokerBusTests {
    private static let client = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
    private static let versions = ["2.0.1", "3.0.1", "himmelblau"]
    /// The time limit of a call that fails; it decides how long the tests take, and no result.
    private static let short = Duration.seconds(1)

    private let broker: MockBroker
    private let group = PrivateSession.uniqueGroup()

    init() throws {
      _ = try PrivateSession.control
      broker = try MockBroker()
    }

    deinit { broker.end() }

    private func cache(_ change: (inout TokenCacheOptions) -> Void = { _ in }) throws -> TokenCache {
      var options = TokenCacheOptions()
      options.usesBroker = true
      change(&options)
      let app = try AppEntitlements(app: "com.contoso.mail", publisher: nil, groups: [group])
      var store = SecretStoreOptions()
      store.checksIdentity = false
      return try SecretStore(options: store).tokenCache(
        for: app, clientID: Self.client,
        authority: try Authority("https://login.microsoftonline.com/common"), options: options)
    }

    private func token(_ cache: TokenCache, of account: Account) async throws -> TokenResult {
      try await cache.acquireTokenSilent(scopes: ["User.Read"], account: account)
    }

    @Test("Each version's replies are understood, and each request is right", arguments: versions)
    func versions(version: String) async throws {
      try broker.reset(version)
      let cache = try cache()
      let account = try #require(try await cache.accounts().first)
      #expect(account.identifier == MockBroker.Person.anna.identifier && account.isFromBroker)
      let first = try await token(cache, of: account)
      #expect(first.accessToken == "broker-at-1" && first.source == .broker && first.saveError == nil)
      #expect(first.scopes.names.contains("User.Read"))
      let second = try await token(cache, of: account)
      // himmelblau's tokens expire at once; see the page The broker.
      #expect(second.accessToken == (version == "himmelblau" ? "broker-at-2" : "broker-at-1"))
      let lifetime = first.expiresOn.timeIntervalSinceNow
      #expect(version == "himmelblau" ? lifetime < 10 : (3_900...4_001).contains(lifetime))
      _ = try await cache.acquireTokenSilent(scopes: ["User.Read"], account: account, forceRefresh: true)
      try await cache.signOut(account)
      #expect(try await cache.accounts().isEmpty)
      let requests = try broker.requests()
      #expect(requests.allSatisfy { $0.wrong.isEmpty }, "\(requests.map(\.wrong))")
      #expect(Set(requests.map(\.method)) == ["getAccounts", "acquireTokenSilently", "removeAccount"])
      let backend = SecretStore().unrestrictedBackend(for: try AccessGroup(group))
      for record in try await backend.records(matching: .all(.credentials)) {
        #expect(try !String(decoding: record.document().serialized(), as: UTF8.self).contains("broker-rt"))
      }
    }

    @Test("The version is the broker's", arguments: versions)
    func version(version: String) async throws {
      try broker.reset(version)
      let client = BrokerClient(broker: SessionBusBroker(), clientID: Self.client)
      #expect(try await client.version() == (version == "himmelblau" ? "2.0.0" : version))
      #expect(try broker.requests().allSatisfy { $0.wrong.isEmpty })
    }

    @Test(
      "A broker that fails ends the call in time, with its error",
      arguments: ["getAccounts", "acquireTokenSilently"],
      [
        ("late", SecretStoreError.Code.networkError), ("hang", .networkError), ("vanish", .networkError),
        ("type", .invalidResponse), ("text", .invalidResponse), ("error", .serverError),
      ])
    func failures(method: String, failure: (kind: String, code: SecretStoreError.Code)) async throws {
      try broker.reset()
      let (cache, hasty) = (try cache(), try cache { $0.brokerTimeout = Self.short })
      let account = try #require(try await cache.accounts().first)
      try broker.reply(
        method, failure.kind,
        failure.kind == "error" ? "org.freedesktop.DBus.Error.Failed" : "<html>broker-at-9</html>")
      let start = ContinuousClock.now
      let code = try await ServiceSupport.code { _ = try await token(hasty, of: account) }
      #expect(code == failure.code)
      #expect(start.duration(to: .now) < .seconds(8))
      try broker.clear()
      #expect(try await token(cache, of: account).source == .broker)
      // From here on the cache answers, whatever the broker does.
      try broker.reply(method, failure.kind, "org.freedesktop.DBus.Error.Failed")
      #expect(try await token(cache, of: account).source == .cache)
    }

    @Test("Another program's reply is not believed")
    func forgedReply() async throws {
      try broker.reset()
      let cache = try cache()
      try broker.reply("getAccounts", "forged", #"{"accounts":[]}"#)
      #expect(try await cache.brokerAccounts()?.count == 1)
      let account = try #require(try await cache.accounts().first)
      let refusal = #"{"error":{"status":2}}"#
      for text in [#"{"brokerTokenResponse":{"accessToken":"forged"}}"#, refusal, "garbage"] {
        try broker.reply("acquireTokenSilently", "forged", text)
        let result = try await cache.acquireTokenSilent(
          scopes: ["User.Read"], account: account, forceRefresh: true)
        #expect(result.accessToken.hasPrefix("broker-at-") && result.source == .broker)
      }
      try broker.reply("removeAccount", "forged", refusal)
      try await cache.signOut(account)
      #expect(try await cache.brokerAccounts()?.isEmpty == true)
    }

    @Test("A cancelled call ends at once")
    func cancelled() async throws {
      try broker.reset()
      let cache = try cache()
      let account = try #require(try await cache.accounts().first)
      try broker.reply("acquireTokenSilently", "hang")
      let call = Task { try await cache.acquireTokenSilent(scopes: ["User.Read"], account: account) }
      while try !broker.requests().contains(where: { $0.method == "acquireTokenSilently" }) {
        try await Task.sleep(for: .milliseconds(5))
      }
      let start = ContinuousClock.now
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(start.duration(to: .now) < .seconds(2))
    }

    @Test("Where no broker is installed, nothing is started and nothing is sent")
    func notInstalled() async throws {
      broker.end()
      let cache = try cache()
      // libsecret asks the bus to start the Secret Service when it connects.
      _ = try await cache.accounts()
      var accounts: ([Account]?, [Account]) = ([], [])
      let calls = try await BusMonitor.allCalls {
        accounts = (try await cache.brokerAccounts(), try await cache.accounts())
      }
      #expect(accounts.0 == nil && accounts.1.isEmpty)
      #expect(calls.contains { $0.member == "ListActivatableNames" })
      let wrong = calls.filter { $0.member == "StartServiceByName" || $0.path.contains("broker1") }
      #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test("An installed broker is started; one that can't be is a network error")
    func activation() async throws {
      broker.end()
      let services = URL(filePath: try #require(ProcessInfo.processInfo.environment["SSC_SESSION_DIR"]))
        .appending(path: "services")
      let file = services.appending(path: "com.microsoft.identity.broker1.service")
      defer { try? FileManager.default.removeItem(at: file) }
      func install(_ command: String) async throws {
        try """
        [D-BUS Service]
        Name=com.microsoft.identity.broker1
        Exec=\(command)
        """.write(to: file, atomically: true, encoding: .utf8)
        try await PrivateSession.run(
          "dbus-send",
          [
            "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
            "org.freedesktop.DBus.ReloadConfig",
          ])
      }
      try await install("/bin/false")
      let cache = try cache()
      #expect(try await ServiceSupport.code { _ = try await cache.brokerAccounts() } == .networkError)
      let python = try PrivateSession.python
      try await install("/bin/sh -c 'sleep 10 | \(python) \(MockBroker.script)'")
      #expect(try await cache.brokerAccounts()?.isEmpty == true)
      // It ends before the next test.
      let bus = try await SessionBus.connect()
      let process = try await bus.process(ofOwner: SessionBusBroker.name)
      try await PrivateSession.run("kill", ["\(process)"])
      while try await bus.hasOwner(SessionBusBroker.name) { try await Task.sleep(for: .milliseconds(10)) }
    }
  }
}
