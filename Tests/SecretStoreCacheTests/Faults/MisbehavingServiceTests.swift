// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.Faults {
  /// Every public call, with faults of every method that it uses.
  ///
  /// No real provider shows them on demand.
  @Suite("Misbehaving service", .serialized)
  struct MisbehavingServiceTests {
    /// The time limit of a call to a slow service.
    ///
    /// It decides how long these tests take, and no result.
    private static let short = Duration.milliseconds(150)
    private static let long = Duration.seconds(30)

    init() throws { _ = try PrivateSession.control }

    private func timedOut(_ call: PublicCall) -> Set<SecretStoreError.Code?> {
      [call.isWatch ? .serviceUnavailable : .timedOut]
    }

    @Test("A method that replies after the deadline throws timedOut", arguments: PublicCall.all)
    func late(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      let uses = try await table.ownUses().filter { $0.index == 0 }
      for use in uses where FaultTable.isWrite(use.method) || call.connects || use.method == uses.last?.method
      {
        try await table.run(.late, at: use, within: Self.short, expecting: timedOut(call))
      }
    }

    @Test("A service that sends no reply makes the call throw timedOut", arguments: PublicCall.all)
    func gone(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      guard let use = try await table.ownUses().last else { return }
      try await table.run(.vanish, at: use, within: Self.short, expecting: timedOut(call))
    }

    @Test(
      "A call works although the service restarts while it connects",
      arguments: PublicCall.all.filter(\.connects))
    func restartedWhileConnecting(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.method == "Service.OpenSession" {
        try await table.run(.reclaim, at: use, within: Self.long, expecting: [nil])
      }
    }

    @Test("An invalid reply ends the call at once with its error", arguments: PublicCall.all)
    func invalidReply(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      let own = Set(try await table.ownUses().map(\.method))
      for use in table.chosen(try await table.uses()) where use.index == 0 || own.contains(use.method) {
        for fault in use.index == 0 && own.contains(use.method) ? Fault.prompt : [.type] {
          try await table.run(fault, at: use, within: Self.long, expecting: expected(call, fault, use))
        }
      }
    }

    private func expected(
      _ call: PublicCall, _ fault: Fault, _ use: FaultTable.Use
    ) -> Set<SecretStoreError.Code?> {
      switch (fault, use.method) {
      // libsecret reads the properties, and works without them.
      case (.error, "Properties.GetAll"), (.type, "Properties.GetAll"): [nil]
      case (.error, "Prompt.Dismiss"): [nil]
      case (.error, "Service.OpenSession"): [.insecureTransport]
      case (.type, "Service.OpenSession"): [.serviceUnavailable]
      default: [call.isWatch && fault.code != nil ? .serviceUnavailable : fault.code]
      }
    }

    @Test("A reply that another program forges before the service's is ignored", arguments: PublicCall.all)
    func forgedReply(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in table.chosen(try await table.ownUses()) where use.index == 0 {
        for fault in Fault.forgeries {
          try await table.run(fault, at: use, within: Self.long, expecting: [nil])
        }
      }
    }

    @Test("Signals with random values from any sender change no outcome", arguments: PublicCall.all)
    func randomSignals(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for (seed, use) in table.chosen(try await table.ownUses()).enumerated()
      where use.method != "Prompt.Completed" {
        try await table.run(.signals, at: use, within: Self.long, expecting: [nil], seed: seed)
      }
    }

    @Test("A prompt whose result is no object path causes at most an error", arguments: PublicCall.all)
    func noPath(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.method == "Prompt.Completed" {
        try await table.run(.text, at: use, within: Self.long, expecting: [nil, .storageFailed])
      }
    }

    @Test(
      "Paths of missing objects make a call throw a typed error or do its work", arguments: PublicCall.all)
    func wrongPaths(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in table.chosen(try await table.ownUses()) where use.index == 0 {
        try await table.run(.path, at: use, within: Self.long)
      }
    }

    @Test(
      "A secret that cannot be decrypted throws storageFailed and never counts as absent",
      arguments: PublicCall.all.filter { $0.isRead && !$0.isWatch })
    func wrongSecrets(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      let faults = ["Service.GetSecrets": Fault.ofSecrets, "Item.GetSecret": Fault.ofSecret]
      for use in try await table.uses() where use.index == 0 {
        for fault in faults[use.method] ?? [] {
          try await table.run(fault, at: use, within: Self.long, expecting: [.storageFailed])
        }
      }
    }

    @Test("A cancelled call ends at once, or with the reply to what it has sent", arguments: PublicCall.all)
    func cancelled(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.index == 0 {
        try await table.cancel(at: use)
      }
    }

    @Test("A prompt that ignores Dismiss ends the call at its deadline", arguments: PublicCall.all)
    func ignoredPrompt(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.method == "Prompt.Prompt" {
        try await table.run(.ignored, at: use, within: Self.short, expecting: [.timedOut])
      }
    }

    /// `SSC_FAULT_ROUNDS` and `SSC_FAULT_SEED` in the environment select others.
    @Test(
      "A reply with random values makes a call throw a typed error or do its work, and the next call works")
    func randomReplies() async throws {
      let environment = ProcessInfo.processInfo.environment
      let first = environment["SSC_FAULT_SEED"].flatMap { Int($0) } ?? 1
      for seed in first..<first + (environment["SSC_FAULT_ROUNDS"].flatMap { Int($0) } ?? 100) {
        let call = PublicCall.all[seed % PublicCall.all.count]
        let table = try await FaultTable(call)
        let uses = try await table.uses()
        try await table.run(
          .random, at: uses[seed / PublicCall.all.count % uses.count], within: .seconds(1), seed: seed)
      }
    }

    @Test("The calls use every method of the service that the library uses")
    func everyMethod() async throws {
      var used: Set<String> = []
      for call in PublicCall.all { used.formUnion(try await FaultTable(call).uses().map(\.method)) }
      #expect(
        used == [
          "Service.OpenSession", "Service.SearchItems", "Service.GetSecrets", "Service.ReadAlias",
          "Service.Lock", "Service.Unlock", "Service.CreateCollection", "Collection.SearchItems",
          "Collection.CreateItem", "Collection.Delete", "Item.GetSecret", "Item.SetSecret", "Item.Delete",
          "Properties.Get", "Properties.GetAll", "Properties.Set", "Introspectable.Introspect",
          "Prompt.Prompt",
          "Prompt.Completed", "Prompt.Dismiss", "Gnome.CreateWithMasterPassword",
          "Gnome.UnlockWithMasterPassword", "Gnome.ChangeWithMasterPassword",
        ])
    }
  }
}
