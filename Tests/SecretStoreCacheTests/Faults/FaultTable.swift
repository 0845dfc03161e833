// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

/// Runs a public call with faults of the methods that it uses.
struct FaultTable {
  /// A call of a method that a public call makes.
  struct Use: Sendable {
    let method: String
    /// The number of earlier calls of the same method.
    let index: Int
    /// Whether an earlier call may have changed the store.
    let isAfterWrite: Bool
  }

  let call: PublicCall
  let groups: CallingApp.PreparedGroups
  private var mock: MockService { .shared }

  init(_ call: PublicCall) async throws {
    self.call = call
    groups = try await CallingApp.filled(isGnome: call.isGnome)
  }

  func app() throws -> CallingApp { try CallingApp(groups, call) }

  func prepare() async throws {
    try await mock.clear()
    try await mock.restore(isGnome: call.isGnome)
    if call.preparation != .nothing { try await mock.lock() }
    if call.preparation == .lockPermanently { try await mock.spoil() }
  }

  /// The first and the last use of each method when no call fails.
  ///
  /// Every call connects in the same way, so only a few try the faults of connecting.
  func uses() async throws -> [Use] {
    try await prepare()
    let app = try app()
    try await mock.calls()
    try await call.run(app)
    let methods = try await mock.calls()
    var uses: [Use] = []
    let connecting: Set = ["Service.OpenSession", "Properties.GetAll", "Introspectable.Introspect"]
    for method in Set(methods).sorted() where call.connects || !connecting.contains(method) {
      let places = methods.indices.filter { methods[$0] == method }
      for index in Set([0, places.count - 1]).sorted() {
        let before = methods[...places[index]]
        uses.append(
          Use(method: method, index: index, isAfterWrite: before.contains { Self.isWrite($0) }))
      }
    }
    return uses
  }

  /// The uses that a run tries: with `SSC_EVERY_FAULT` in the environment all of them, else a third, another one for
  /// each call.
  func chosen(_ uses: [Use]) -> [Use] {
    if ProcessInfo.processInfo.environment["SSC_EVERY_FAULT"] != nil { return uses }
    let first = PublicCall.all.firstIndex { $0.testDescription == call.testDescription } ?? 0
    return uses.indices.filter { ($0 + first).isMultiple(of: 3) }.map { uses[$0] }
  }

  private static let gnomeMethods = Locked<[String: Set<String>]>([:])

  /// The uses whose faults no other call tries: without gnome-keyring's interface, only of methods that the same
  /// call does not use with it.
  func ownUses() async throws -> [Use] {
    let uses = try await uses()
    guard !call.isGnome, let other = PublicCall.all.first(where: { $0.isGnome && $0.name == call.name })
    else {
      return uses
    }
    if let known = Self.gnomeMethods.withLock({ $0[call.name] }) {
      return uses.filter { !known.contains($0.method) }
    }
    let methods = Set(try await FaultTable(other).uses().map(\.method))
    Self.gnomeMethods.withLock { $0[call.name] = methods }
    return uses.filter { !methods.contains($0.method) }
  }

  /// Whether a method is waited for although the task was cancelled, as changes are.
  static func isWrite(_ method: String) -> Bool {
    let writes: Set = [
      "Service.Lock", "Service.Unlock", "Service.CreateCollection",
      "Collection.CreateItem", "Collection.Delete", "Item.Delete", "Item.SetSecret", "Properties.Set",
      "Prompt.Dismiss", "Gnome.CreateWithMasterPassword",
    ]
    return writes.contains(method)
  }

  /// Whether a reply of the method says what is stored, so that a false one of the right type is believed.
  private static func isFact(_ method: String) -> Bool {
    ["Properties.Get", "Service.SearchItems", "Collection.SearchItems", "Service.ReadAlias"].contains(method)
  }

  /// Makes the call with a fault, then without.
  ///
  /// Without expected codes every `SecretStoreError` is accepted, and no other error.
  ///
  /// On a busy machine a short limit can end before the method is called. Then the call is made again, with twice the
  /// limit.
  func run(
    _ fault: Fault, at use: Use, within limit: Duration, expecting codes: Set<SecretStoreError.Code?>? = nil,
    seed: Int = 0
  ) async throws {
    try await prepare()
    let app = try app()
    try await mock.begin(fault, of: use.method, after: use.index, seed: seed)
    let what: Comment = "\(call.testDescription): \(fault.rawValue) \(seed) at \(use.method) \(use.index)"
    var code: SecretStoreError.Code?
    let took = await ContinuousClock().measure {
      do {
        code = try await ServiceSupport.code {
          try await Deadline.run(within: limit) { try await call.run(app) }
        }
      } catch is PrivateSession.Failed where codes == nil && Self.isFact(use.method) {
        // A false reply of the right type is an answer.
      } catch {
        Issue.record("\(what): \(error)")
      }
    }
    if let codes, !codes.contains(code), try await !mock.isMet(), limit < Self.longestLimit {
      return try await run(fault, at: use, within: limit * 2, expecting: codes, seed: seed)
    }
    if let codes { #expect(codes.contains(code), what) }
    #expect(took < limit + Self.slack, what)
    try await prepare()
    do { try await call.run(app) } catch { Issue.record("\(what), the next call: \(error)") }
  }

  private static let longestLimit = Duration.seconds(30)

  /// The time that a busy machine may take beyond a limit.
  private static let slack = Duration.seconds(15)

  /// Cancels the call while a method waits for its reply, then sends the reply.
  ///
  /// A read ends before the reply arrives, and so does a change that has sent nothing yet, but for the save of a sign-in.
  func cancel(at use: Use) async throws {
    try await prepare()
    let app = try app()
    let what: Comment = "\(call.testDescription): cancelled at \(use.method)"
    try await mock.begin(.late, of: use.method, after: use.index)
    let task = Task { try await Deadline.run(within: .seconds(30)) { try await call.run(app) } }
    try await mock.waitUntilMet()
    task.cancel()
    let endsAtOnce = !call.finishesWhenCancelled && (call.isRead || !use.isAfterWrite)
    if !endsAtOnce { try await mock.clear() }
    let took = await ContinuousClock().measure {
      do {
        try await task.value
        #expect(!endsAtOnce, what)
      } catch is CancellationError {
      } catch { Issue.record("\(what): \(error)") }
    }
    #expect(took < Self.slack, what)
    try await prepare()
    do { try await call.run(app) } catch { Issue.record("\(what), the next call: \(error)") }
  }
}
