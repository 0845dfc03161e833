// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Back end contract")
struct ContractFaultTests {
  private func environment(for rule: ContractCase, _ fault: BackendFault?) -> ContractEnvironment {
    let store = FaultyStore()
    func instance() -> FaultyBackend {
      FaultyBackend(store, fault: fault, leaseTimeout: rule.leaseTimeout)
    }
    let holder = instance()
    return ContractEnvironment(
      backend: instance(), other: instance(), storeRaw: { await store.put($0, for: $1) },
      killLeaseHolder: { try await holder.dieWithLease(on: $0) }, failReads: { await store.fail($0) })
  }

  @Test("A sound back end that is polled for changes passes", arguments: TokenCacheContract.cases)
  func sound(_ rule: ContractCase) async throws {
    try await rule.check(environment(for: rule, nil))
  }

  @Test(
    "Each fault is found, with the broken rule and the place of the check", arguments: BackendFault.allCases
  )
  func finds(_ fault: BackendFault) async throws {
    var violation: ContractViolation?
    // On a busy machine, a fault between two tasks shows only in some of the runs.
    for _ in 1...20 where violation == nil { violation = try await firstViolation(fault) }
    let found = try #require(violation)
    #expect(found.rule == fault.rule.rawValue)
    #expect(found.file.hasPrefix("TokenCacheContract/TokenCacheContract+"))
    #expect(found.description.hasPrefix("\(fault.rule.rawValue): "))
    #expect(found.description.hasSuffix("(\(found.file):\(found.line))"))
  }

  /// Runs the cases of the rule that a fault breaks.
  private func firstViolation(_ fault: BackendFault) async throws -> ContractViolation? {
    for rule in TokenCacheContract.cases where rule.rule == fault.rule.rawValue {
      do {
        try await TimeLimit.$longest.withValue(.seconds(1)) {
          try await rule.check(environment(for: rule, fault))
        }
      } catch let violation as ContractViolation {
        return violation
      }
    }
    return nil
  }

  @Test("The protocol's documentation states each rule, which has a case and a fault")
  func rules() throws {
    let rules = BackendRule.allCases.map(\.rawValue)
    #expect(Set(TokenCacheContract.cases.map(\.rule)) == Set(rules))
    #expect(Set(BackendFault.allCases.map(\.rule)) == Set(BackendRule.allCases))
    let source = URL(filePath: #filePath).appending(
      path: "../../../../../Sources/UnifiedCache/Backend/TokenCacheBackend.swift")
    let text = try String(contentsOf: source.standardized, encoding: .utf8)
    #expect(text.matches(of: #/(?m)^/// - \*\*([a-z-]+)\*\*: /#).map { String($0.1) } == rules)
  }
}
