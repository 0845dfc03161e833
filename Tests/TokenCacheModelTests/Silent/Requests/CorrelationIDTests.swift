// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import TokenCacheModel

@Suite("Correlation IDs")
struct CorrelationIDTests {
  @Test("Each ID is another UUID of version 4, also to calls at once")
  func unique() async throws {
    let ids = await withTaskGroup(of: [UUID].self) { tasks in
      for _ in 0..<8 { tasks.addTask { (0..<1_000).map { _ in CorrelationID.next() } } }
      return await tasks.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(ids).count == 8_000)
    let form = try Regex("[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}")
    #expect(try ids.allSatisfy { try form.wholeMatch(in: $0.uuidString) != nil })
  }
}
