// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Several secrets, all or none")
struct SecretBatchTests {
  private let memory = InMemoryBackend()

  /// Secrets over a back end on which one write fails, counted from 0.
  private func secrets(failingAt failing: Int? = nil) throws -> AppSecrets {
    let writes = Mutex(0)
    let backend = FailingBackend(
      inner: memory,
      beforeWriting: {
        let number = writes.withLock { number in
          defer { number += 1 }
          return number
        }
        if number == failing { throw SecretStoreError(.storageFailed, "The disk is full.") }
      })
    return AppSecrets(group: try AccessGroup("com.contoso.shared"), backend: backend, clock: TestClock())
  }

  private func new(_ count: Int) -> [NewSecret] {
    (0..<count).map {
      NewSecret(Secret("secret \($0)"), service: "s", account: "\($0)", label: "Label \($0)")
    }
  }

  @Test("All are stored with their labels, and storing equal ones changes nothing")
  func stored() async throws {
    let secrets = try secrets()
    #expect(try await secrets.set(new(3)) == 3)
    #expect(try await secrets.list().map(\.label) == ["Label 0", "Label 1", "Label 2"])
    #expect(try await secrets.set(new(4)) == 1)
    #expect(try await secrets.set([]) == 0)
  }

  @Test("If one cannot be written, those before it are removed again", arguments: 0..<4)
  func undone(failing: Int) async throws {
    try await secrets().set(Secret("other"), service: "other")
    await #expect(throws: SecretStoreError.self) { try await secrets(failingAt: failing).set(new(4)) }
    #expect(try await secrets().list().map(\.service) == ["other"])
    #expect(try await secrets().set(new(4)) == 4)
  }

  @Test("An existing secret remains if another cannot be written")
  func undoneOnlyTheNew() async throws {
    try await secrets().set(new(1))
    await #expect(throws: SecretStoreError.self) { try await secrets(failingAt: 1).set(new(3)) }
    #expect(try await secrets().list().map(\.account) == ["0"])
  }

  @Test("Nothing is stored if one of them is invalid", arguments: Bad.all)
  private func refused(bad: Bad) async throws {
    let secrets = try secrets()
    try await secrets.set(Secret("newer"), service: "taken")
    await memory.storeRaw(Array("{}".utf8), for: RecordKey(kind: .secret, key: ""))
    do {
      try await secrets.set(new(2) + bad.secrets)
      Issue.record("it was stored")
    } catch let error as SecretStoreError {
      #expect(error.code == bad.code)
    }
    #expect(try await secrets.list().map(\.service) == ["taken"])
    #expect(try await secrets.get(service: "taken")?.text == "newer")
  }

  private struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let secrets: [NewSecret]
    let code: SecretStoreError.Code

    static let all = [
      Bad(
        testDescription: "two of one name", secrets: [.init(Secret("x"), service: "s", account: "1")],
        code: .conflict),
      Bad(
        testDescription: "another of that name", secrets: [.init(Secret("older"), service: "taken")],
        code: .conflict),
      Bad(
        testDescription: "blank service", secrets: [.init(Secret("x"), service: " ")], code: .invalidArgument),
      Bad(
        testDescription: "control character in the label",
        secrets: [.init(Secret("x"), service: "x", label: "a\u{7}")], code: .invalidArgument),
      Bad(
        testDescription: "too large",
        secrets: [.init(Secret([UInt8](repeating: 0, count: Secret.maximumBytes + 1)), service: "x")],
        code: .invalidArgument),
    ]
  }

  @Test("The access check writes, reads and removes, and reports refusals without an error")
  func access() async throws {
    #expect(try await secrets().canAccess())
    #expect(try await secrets().list().isEmpty)
    #expect(try await !secrets(failingAt: 0).canAccess())
    #expect(try await !secrets().canAccess("com.contoso.other"))
  }
}
