// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Copy of a group on a keyring")
  struct GroupCopyServiceTests {
    private let former: RoundTripGroup
    private let shared: RoundTripGroup

    init() throws { (former, shared) = (try RoundTripGroup(), try RoundTripGroup()) }

    private func backend(of group: RoundTripGroup) throws -> any TokenCacheBackend {
      ServiceSupport.store().backend(for: try AccessGroup(group.name))
    }

    /// Copies the former group with stores of its own.
    private func copy(isDryRun: Bool = false) async throws -> ImportSummary {
      try await CacheTransfer(backend: backend(of: shared))
        .copyRecords(from: backend(of: former), isDryRun: isDryRun)
    }

    private func secrets(of group: RoundTripGroup) throws -> AppSecrets {
      AppSecrets(group: try AccessGroup(group.name), backend: try backend(of: group))
    }

    @Test("Sign-ins and secrets of one group are in the other, also after a restart of the daemon")
    func copied() async throws {
      try await former.signIn(1...3, foci: "1")
      try await secrets(of: former).set(Secret("correct horse"), service: "imap")
      let planned = try await copy(isDryRun: true)
      #expect(try await shared.cache(SecretStore()).accounts().isEmpty)
      #expect(try await copy() == planned)
      try await PrivateSession.keyring("restart")
      let cache = try shared.cache(SecretStore(), app: "com.example.calendar")
      let accounts = try await cache.accounts()
      #expect(accounts.count == 3)
      for account in accounts {
        let result = try await cache.acquireTokenSilent(scopes: RoundTripGroup.scopes, account: account)
        #expect(result.accessToken.hasPrefix("at-"))
      }
      #expect(try await secrets(of: shared).get(service: "imap") == Secret("correct horse"))
      #expect(try await former.cache(SecretStore()).accounts().count == 3)
      let again = try await copy()
      #expect(again.added == 0 && again.updated == 0 && again.unchanged == planned.added)
    }
  }
}
