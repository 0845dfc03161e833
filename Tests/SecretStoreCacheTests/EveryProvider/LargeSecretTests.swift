// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests.EveryProvider {
  @Suite("Secrets of the maximum size", .serialized)
  struct LargeSecretTests {
    private let app: AppEntitlements
    private let name = "com.example.large"

    init() throws {
      _ = try PrivateSession.control
      app = try AppEntitlements(app: "com.example.large", groups: [PrivateSession.uniqueGroup()])
    }

    private func secrets() throws -> AppSecrets { try SecretStore().secrets(for: app) }

    /// Random bytes, the same for each seed.
    private func secret(_ seed: UInt8, count: Int = Secret.maximumBytes) -> Secret {
      Secret((0..<count).map { UInt8(truncatingIfNeeded: ($0 >> 8) ^ $0 &* 31 ^ Int(seed)) })
    }

    @Test("A secret of one mebibyte is stored, read by another app after a restart, replaced and removed")
    func wholeLife() async throws {
      try await secrets().set(secret(1), service: name)
      try await PrivateSession.keyring("restart")
      #expect(try await secrets().get(service: name) == secret(1))
      try await secrets().set(secret(2), service: name)
      #expect(try await secrets().get(service: name) == secret(2))
      #expect(try await secrets().remove(service: name))
      #expect(try await secrets().get(service: name) == nil)
    }

    @Test("A mebibyte of text that JSON escapes to six times its length is stored")
    func braces() async throws {
      let braces = Secret(String(repeating: "{", count: Secret.maximumBytes))
      try await secrets().set(braces, service: name)
      #expect(try await secrets().get(service: name) == braces)
    }

    @Test("A secret one byte larger is refused, and the old secret remains")
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
