// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

@Suite("Requests for secrets")
struct SecretRequestTests {
  private static let collection = "/org/freedesktop/secrets/collection/"

  /// Keyrings with this many bytes and items, and the calls that request the items' secrets.
  struct Case: Sendable, CustomTestStringConvertible {
    let keyrings: [(size: Int?, items: Int)]
    let batches: [Int]
    let singles: Int
    var testDescription: String { "\(keyrings.map { ($0.size ?? -1, $0.items) })" }
  }

  private static let limit = SecretRequest.maximumBytes

  @Test(
    "Secrets that may exceed the bus's message limit together are requested one at a time",
    arguments: [
      Case(keyrings: [], batches: [], singles: 0),
      Case(keyrings: [(4_000, 1)], batches: [1], singles: 0),
      Case(keyrings: [(limit, 50)], batches: [20, 20, 10], singles: 0),
      Case(keyrings: [(limit + 1, 3)], batches: [], singles: 3),
      Case(keyrings: [(limit + 1, 1)], batches: [], singles: 1),
      Case(keyrings: [(nil, 3)], batches: [], singles: 3),
      Case(keyrings: [(nil, 2), (4_000, 3)], batches: [3], singles: 2),
      Case(keyrings: [(limit / 2, 2), (limit / 2, 3)], batches: [5], singles: 0),
      Case(keyrings: [(limit, 2), (limit, 2)], batches: [2], singles: 2),
    ])
  func requests(of example: Case) throws {
    var items: Set<ObjectPath> = []
    var sizes: [ObjectPath: Int] = [:]
    for (number, keyring) in example.keyrings.enumerated() {
      sizes[try #require(ObjectPath("\(Self.collection)k\(number)"))] = keyring.size
      for item in 0..<keyring.items {
        items.insert(try #require(ObjectPath("\(Self.collection)k\(number)/\(item)")))
      }
    }
    let requests = SecretRequest.list(for: items) { sizes[$0] }
    #expect(requests.map(\.count).reduce(0, +) == items.count)
    #expect(requests.count { if case .single = $0 { true } else { false } } == example.singles)
    #expect(
      requests.compactMap { if case .batch(let items) = $0 { items.count } else { nil } } == example.batches)
  }

  @Test("Without a known limit twenty secrets are requested in one call")
  func batches() throws {
    let items = try (0..<45).map { try #require(ObjectPath("\(Self.collection)k/\($0)")) }
    #expect(SecretRequest.list(for: Set(items), sizeOf: nil).map(\.count) == [20, 20, 5])
  }
}
