// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.EveryProvider {
  @Suite("Secrets of the largest size", .serialized)
  struct LargeSecretTests {
    private let app: AppEntitlements
    private let name = "com.example.large"

    init() throws {
      _ = try PrivateSession.control
      app = try AppEntitlements(app: "com.example.large", groups: [PrivateSession.uniqueGroup()])
    }

    private func secrets() -> AppSecrets { SecretStore().secrets(for: app) }

    /// Any bytes, the same for each seed.
    private func secret(_ seed: UInt8, count: Int = Secret.maximumBytes) -> Secret {
      Secret((0..<count).map { UInt8(truncatingIfNeeded: ($0 >> 8) ^ $0 &* 31 ^ Int(seed)) })
    }

    @Test("a mebibyte is stored, read by another app after a restart, replaced and removed")
    func wholeLife() async throws {
      try await secrets().set(secret(1), service: name)
      try await PrivateSession.keyring("restart")
      #expect(try await secrets().get(service: name) == secret(1))
      try await secrets().set(secret(2), service: name)
      #expect(try await secrets().get(service: name) == secret(2))
      #expect(try await secrets().remove(service: name))
      #expect(try await secrets().get(service: name) == nil)
    }

    @Test("a mebibyte of text that JSON makes six times as long is stored")
    func braces() async throws {
      let braces = Secret(String(repeating: "{", count: Secret.maximumBytes))
      try await secrets().set(braces, service: name)
      #expect(try await secrets().get(service: name) == braces)
    }

    @Test("a byte more is refused, and the old secret stays")
    func tooLarge() async throws {
      try await secrets().set(secret(1, count: 10), service: name)
      let code = try await ServiceSupport.code {
        try await secrets().set(secret(2, count: Secret.maximumBytes + 1), service: name)
      }
      #expect(code == .invalidArgument)
      #expect(try await secrets().get(service: name) == secret(1, count: 10))
    }
  }
}
