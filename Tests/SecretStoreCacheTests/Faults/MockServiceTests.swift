// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  /// What a real provider can't be made to do: every public call, with faults of every method that it uses.
  @Suite("With a service that misbehaves", .serialized)
  struct Faults {
    /// What a call that meets a slow service may take; how long these tests take depends on it, no outcome does.
    private static let short = Duration.milliseconds(150)
    private static let long = Duration.seconds(30)

    init() throws { _ = try PrivateSession.control }

    private func timedOut(_ call: PublicCall) -> Set<SecretStoreError.Code?> {
      [call.isWatch ? .serviceUnavailable : .timedOut]
    }

    @Test("A method that answers after the deadline ends the call in timedOut", arguments: PublicCall.all)
    func late(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      let uses = try await table.ownUses().filter { $0.index == 0 }
      for use in uses where FaultTable.isWrite(use.method) || call.connects || use.method == uses.last?.method
      {
        try await table.run(.late, at: use, within: Self.short, expecting: timedOut(call))
      }
    }

    @Test("A service that goes without an answer ends the call in timedOut", arguments: PublicCall.all)
    func gone(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      guard let use = try await table.ownUses().last else { return }
      try await table.run(.vanish, at: use, within: Self.short, expecting: timedOut(call))
    }

    @Test("A bad answer ends the call at once in its error", arguments: PublicCall.all)
    func badAnswer(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      let own = Set(try await table.ownUses().map(\.method))
      for use in try await table.uses() where use.index == 0 || own.contains(use.method) {
        for fault in use.index == 0 && own.contains(use.method) ? Fault.prompt : [.type] {
          try await table.run(fault, at: use, within: Self.long, expecting: expected(call, fault, use))
        }
      }
    }

    private func expected(
      _ call: PublicCall, _ fault: Fault, _ use: FaultTable.Use
    ) -> Set<SecretStoreError.Code?> {
      switch (fault, use.method) {
      // libsecret reads the properties, and does without.
      case (.error, "Properties.GetAll"), (.type, "Properties.GetAll"): [nil]
      case (.error, "Prompt.Dismiss"): [nil]
      case (.error, "Service.OpenSession"): [.insecureTransport]
      case (.type, "Service.OpenSession"): [.serviceUnavailable]
      default: [call.isWatch && fault.code != nil ? .serviceUnavailable : fault.code]
      }
    }

    @Test("Paths that lead nowhere hang and break nothing", arguments: PublicCall.all)
    func wrongPaths(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.ownUses() where use.index == 0 {
        try await table.run(.path, at: use, within: Self.long)
      }
    }

    @Test(
      "Secrets that can't be decrypted are storageFailed, and never nothing",
      arguments: PublicCall.all.filter { $0.isRead && !$0.isWatch })
    func wrongSecrets(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.method == "Service.GetSecrets" && use.index == 0 {
        for fault in Fault.ofSecrets {
          try await table.run(fault, at: use, within: Self.long, expecting: [.storageFailed])
        }
      }
    }

    @Test(
      "A call that is cancelled ends at once, or with the answer to what it has sent",
      arguments: PublicCall.all)
    func cancelled(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.index == 0 {
        try await table.cancel(at: use)
      }
    }

    @Test("A prompt that minds no dismissal ends the call by its deadline", arguments: PublicCall.all)
    func ignoredPrompt(call: PublicCall) async throws {
      let table = try await FaultTable(call)
      for use in try await table.uses() where use.method == "Prompt.Prompt" {
        try await table.run(.ignored, at: use, within: Self.short, expecting: [.timedOut])
      }
    }

    /// `SSC_FAULT_ROUNDS` and `SSC_FAULT_SEED` in the environment ask for others.
    @Test("Random values of random types end each call in a typed error, and break nothing")
    func randomAnswers() async throws {
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

    @Test("The calls use every method of the service that the library knows")
    func everyMethod() async throws {
      var used: Set<String> = []
      for call in PublicCall.all { used.formUnion(try await FaultTable(call).uses().map(\.method)) }
      #expect(
        used == [
          "Service.OpenSession", "Service.SearchItems", "Service.GetSecrets", "Service.ReadAlias",
          "Service.Lock", "Service.Unlock", "Service.CreateCollection", "Collection.SearchItems",
          "Collection.CreateItem", "Collection.Delete", "Item.SetSecret", "Item.Delete", "Properties.Get",
          "Properties.GetAll", "Properties.Set", "Introspectable.Introspect", "Prompt.Prompt",
          "Prompt.Dismiss", "Gnome.CreateWithMasterPassword", "Gnome.UnlockWithMasterPassword",
        ])
    }
  }
}
