// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  static let concurrencyCases: [ContractCase] = [
    ContractCase("sixteen tokens of one account saved at once are all there afterwards") { environment in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<16 {
          group.addTask {
            let backend = number % 2 == 0 ? environment.backend : environment.other
            let cache = try Samples.cache(backend)
            try await cache.save(
              try Samples.response(scope: "scope\(number)", token: "at\(number)"), scopes: ["scope\(number)"])
          }
        }
        try await group.waitForAll()
      }
      try await environment.settle()
      let document = try await environment.other.record(for: Samples.key)?.document()
      let tokens = Set(document?.credentials.filter(\.kind.isAccessToken).map(\.secret) ?? [])
      try expect(tokens, is: Set((0..<16).map { "at\($0)" }), "the tokens")
      try expect(document?.sharing.revision, is: 16, "the revision")
    },
    ContractCase("no two bodies run under the refresh lease of one key at a time") { environment in
      let gate = Gate()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let backend = number % 2 == 0 ? environment.backend : environment.other
            try await backend.withRefreshLease(on: Samples.key) {
              await gate.enter()
              try await Task.sleep(for: .milliseconds(5))
              await gate.leave()
            }
          }
        }
        try await group.waitForAll()
      }
      try expect(await gate.most, is: 1, "bodies at a time")
    },
    ContractCase("a cancelled call says so and writes nothing") { environment in
      let document = try Samples.document("never")
      let task = Task {
        try? await Task.sleep(for: .seconds(60))
        try await environment.backend.update(Samples.key) { $0 = document }
      }
      task.cancel()
      do {
        try await task.value
        throw ContractViolation("a cancelled write went through", line: #line)
      } catch is CancellationError {}
      try expect(try await environment.other.record(for: Samples.key) == nil, is: true, "absence")
    },
  ]

  /// Counts how many are inside at a time.
  private actor Gate {
    private var inside = 0
    private(set) var most = 0

    func enter() {
      inside += 1
      most = max(most, inside)
    }

    func leave() { inside -= 1 }
  }
}
