// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  static let leaseCases: [ContractCase] = [
    ContractCase("no two bodies run under the refresh lease of one key at a time", .leaseExclusive) {
      environment in
      let (inside, most) = (Locked(0), Locked(0))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let backend = number % 2 == 0 ? environment.backend : environment.other
            try await backend.withRefreshLease(on: Samples.key) {
              let now = inside.withLock { inside in
                inside += 1
                return inside
              }
              most.withLock { $0 = max($0, now) }
              try await Task.sleep(for: .milliseconds(5))
              inside.withLock { $0 -= 1 }
            }
          }
        }
        try await group.waitForAll()
      }
      try expect(most.withLock { $0 }, is: 1, "bodies at a time")
    },
    ContractCase(
      "two apps that refresh at once send one refresh token, and the new one is stored", .leaseExclusive
    ) {
      environment in
      let (clock, endpoint) = (TestClock(), RotatingEndpoint())
      let apps = try [environment.backend, environment.other].map {
        try Samples.cache($0, endpoint: endpoint, clock: clock)
      }
      let account = try await apps[0].save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
      clock.advance(by: 7200)
      try await withThrowingTaskGroup(of: TokenResult.self) { group in
        for app in apps {
          group.addTask { try await app.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        }
        for try await result in group {
          try expect(result.accessToken, is: "at-1", "the access token")
          try expect(result.saveError, is: nil, "the error of the save")
        }
      }
      try expect(await endpoint.sent, is: ["rt"], "the refresh tokens that were sent")
      let stored = try await environment.other.record(for: Samples.key)?.document().credentials
      try expect(
        stored?.filter { $0.kind == .refreshToken }.map(\.secret), is: ["rt-1"], "the stored refresh token")
    },
    ContractCase("leases of two keys are held side by side", .leasePerKey) { environment in
      try await holding(Samples.key, of: environment.backend) {
        for backend in [environment.backend, environment.other] {
          try await ends("the lease of another key") {
            try await backend.withRefreshLease(on: Samples.otherKey) {}
          }
        }
      }
    },
    ContractCase("a lease is taken while its holder has that of another key", .leasePerKey) { environment in
      try await ends("the inner lease") {
        try await environment.backend.withRefreshLease(on: Samples.key) {
          try await environment.backend.withRefreshLease(on: Samples.otherKey) {}
          try await environment.other.withRefreshLease(on: Samples.otherKey) {}
        }
      }
    },
    ContractCase(
      "the holder of a lease reads, changes and removes the records of its own key and of another",
      .leaseApart
    ) { environment in
      let document = try Samples.document("leased")
      for key in [Samples.key, Samples.otherKey] {
        let note = try await ends("a change by the holder of a lease") {
          try await environment.backend.withRefreshLease(on: Samples.key) {
            try await environment.backend.update(key) { $0 = document }
            let note = try await environment.backend.record(for: key)?.document().note
            try await environment.backend.remove(key)
            return note
          }
        }
        try expect(note, is: "leased", "the record under the lease")
      }
    },
    ContractCase("others read, change and remove the record of a lease's key while it is held", .leaseApart) {
      environment in
      let document = try Samples.document("meanwhile")
      try await holding(Samples.key, of: environment.backend) {
        let note = try await ends("a change by another instance") {
          try await environment.other.update(Samples.key) { $0 = document }
          let listed = try await environment.other.records(matching: .all(.credentials))
          try await environment.other.remove(Samples.key)
          return try listed.first?.document().note
        }
        try expect(note, is: "meanwhile", "the record")
      }
    },
  ]

  /// Runs `body` while another task holds the lease of a key.
  static func holding(
    _ key: RecordKey, of backend: any TokenCacheBackend, _ body: () async throws -> Void
  ) async throws {
    let (held, free) = (WakeSignal(), WakeSignal())
    let holder = Task {
      try await backend.withRefreshLease(on: key) {
        await held.wake()
        await free.wait(atMost: .seconds(600))
      }
    }
    do {
      try await ends("the wait for a free lease") { await held.wait(atMost: .seconds(600)) }
      try await body()
    } catch {
      await free.wake()
      throw error
    }
    await free.wake()
    try await holder.value
  }

  /// A token endpoint that accepts each refresh token once.
  private actor RotatingEndpoint: TokenEndpoint {
    private(set) var sent: [String] = []

    func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
      sent.append(request.refreshToken)
      let number = sent.count
      try await Task.sleep(for: .milliseconds(20))
      return TokenEndpointResponse(
        status: 200,
        body: Samples.body(scope: "mail.read", token: "at-\(number)", refresh: "rt-\(number)"))
    }
  }
}
