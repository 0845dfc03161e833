// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

extension ServiceTests {
  /// The cost of reads in a large group.
  @Suite("Large groups", .serialized)
  struct LargeGroupTests {
    private let name = PrivateSession.uniqueGroup()

    init() throws { _ = try PrivateSession.control }

    /// A group with a number of secrets.
    ///
    /// - Parameter filling: The end of each secret.
    private func keyring(_ count: Int, filling: String = "") -> PlainKeyring {
      var keyring = PlainKeyring(label: name)
      keyring.add(
        label: "Access group",
        attributes: [
          "kind": "group", "publisher": "", "group": name, "home_account_id": "", "environment": "",
          "client_id": "", "family_id": "", "key": "",
        ],
        secret: #"{"name":"\#(name)","publisher":"","placement":"dedicated","format":1}"#)
      for number in 0..<count {
        let (service, account) = ("service-\(number)", "ada")
        let key = Digest.hex("\(service.utf8.count):\(service)\(account)")
        keyring.add(
          label: "App secret",
          attributes: [
            "kind": "secret", "publisher": "", "group": name, "home_account_id": "", "environment": "",
            "client_id": "", "family_id": "", "key": key, "xdg:schema": "org.secretstorecache.Item",
          ],
          secret: #"{"Secret":{"service":"\#(service)","account":"\#(account)","text":"s-\#(number)"#
            + #"\#(filling)"},"#
            + #""SecretStoreCache":{"record":{"kind":"secret","key":"\#(key)"},"revision":1}}"#)
      }
      return keyring
    }

    @Test("Among 1,000 secrets one costs 2 round trips, a repeated look-up 1, replacing it 8, and again 3")
    func secrets() async throws {
      try await keyring(1_000).loaded(as: name) { try await expectRoundTrips() }
    }

    @Test("Secrets that exceed the bus's message limit together are listed, and the daemon keeps running")
    func manyLarge() async throws {
      let filling = String(repeating: "x", count: Secret.maximumBytes - 10)
      try await keyring(65, filling: filling).loaded(as: name) {
        let daemon = try await PrivateSession.run(PrivateSession.control, ["pid"])
        var options = SecretStoreOptions()
        options.timeout = .seconds(60)
        let secrets = try SecretStore(options: options).secrets(
          for: try AppEntitlements(app: "com.example.mail", groups: [name]))
        let members = try await BusMonitor.members {
          let count = try await secrets.list().count
          #expect(count == 65)
        }
        // The keyring's file is too large for the secrets to be requested together.
        #expect(members.filter { $0 == "GetSecret" }.count == 65)
        #expect(!members.contains("GetSecrets"))
        #expect(try await PrivateSession.run(PrivateSession.control, ["pid"]) == daemon)
      }
    }

    private func expectRoundTrips() async throws {
      var options = SecretStoreOptions()
      options.timeout = .seconds(60)
      let secrets = try SecretStore(options: options).secrets(
        for: try AppEntitlements(app: "com.example.mail", groups: [name]))
      #expect(try await secrets.get(service: "service-1", account: "ada", from: name)?.text == "s-1")
      let first = try await BusMonitor.members {
        let secret = try await secrets.get(service: "service-900", account: "ada", from: name)
        #expect(secret?.text == "s-900")
      }
      #expect(first == ["SearchItems", "GetSecrets"])
      let second = try await BusMonitor.members {
        _ = try await secrets.get(service: "service-900", account: "ada", from: name)
      }
      #expect(second == ["GetSecrets"])
      let third = try await BusMonitor.members {
        try await secrets.set(Secret("new"), service: "service-900", account: "ada", in: name)
      }
      // Before the process's first write, two searches tell whether another publisher's group has marked the collection,
      // and two whether the login collection has a password of the group, which would belong to it.
      #expect(
        third == ["SearchItems", "SearchItems", "GetSecrets"] + Array(repeating: "SearchItems", count: 4) + [
          "SetSecret"
        ])
      let fourth = try await BusMonitor.members {
        try await secrets.set(Secret("newer"), service: "service-900", account: "ada", in: name)
      }
      #expect(fourth == ["SearchItems", "GetSecrets", "SetSecret"])
    }
  }
}
