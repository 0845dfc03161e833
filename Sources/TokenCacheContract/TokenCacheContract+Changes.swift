// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension TokenCacheContract {
  static let changeCases: [ContractCase] = [
    ContractCase("who watches is given a snapshot, and then what another app does", .watch) { environment in
      let mail = try Samples.cache(environment.other)
      let grace = try Samples.response(scope: "mail.read", user: "grace@contoso.com", uid: Samples.otherUID)
      try await mail.save(grace, scopes: ["mail.read"])
      try await watching(try Samples.cache(environment.backend, app: "com.contoso.calendar")) { recorder in
        try await recorder.wait(for: "snapshot") { $0.accounts.count == 1 }
        let account = try await mail.save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
        try await recorder.wait(for: "new account") { $0.changes.last == "added" }
        try await mail.save(try Samples.response(scope: "mail.read", token: "at2"), scopes: ["mail.read"])
        try await recorder.wait(for: "change of tokens") { $0.changes.last == "tokens" }
        try await mail.save(
          try Samples.response(scope: "mail.read", user: "ada@fabrikam.com", token: "at2"),
          scopes: ["mail.read"])
        try await recorder.wait(for: "new name") { $0.changes.contains("updated") }
        try await mail.signOut(account)
        try await recorder.wait(for: "sign-out") { $0.changes.last == "removed" }
      }
    },
    ContractCase("an app that watches is not told that another one of its client has signed out", .watch) {
      environment in
      let calendar = try Samples.cache(environment.backend, app: "com.contoso.calendar")
      let mail = try Samples.cache(environment.other)
      let account = try await mail.save(try Samples.response(scope: "mail.read"), scopes: ["mail.read"])
      _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
      try await watching(calendar) { recorder in
        try await recorder.wait(for: "snapshot") { $0.changes.count == 1 }
        try await mail.signOut(account)
        let grace = try Samples.response(
          scope: "mail.read", user: "grace@contoso.com", uid: Samples.otherUID)
        try await mail.save(grace, scopes: ["mail.read"])
        try await recorder.wait(for: "new account") { $0.changes.last == "added" }
        try expect(await recorder.accounts.count, is: 2, "the accounts")
      }
    },
    ContractCase("what twenty tasks change at once is told whole, and nothing twice", .watch) { environment in
      try await watching(try Samples.cache(environment.backend)) { recorder in
        try await recorder.wait(for: "snapshot") { $0.changes.count == 1 }
        try await environment.settle()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<20 {
            group.addTask {
              let cache = try Samples.cache(number % 2 == 0 ? environment.backend : environment.other)
              let uid = "\(Samples.uid.dropLast(2))\(10 + number)"
              let account = try await cache.save(
                try Samples.response(scope: "mail.read", user: "user\(number)@contoso.com", uid: uid),
                scopes: ["mail.read"])
              if number % 4 == 0 { try await cache.signOut(account) }
            }
          }
          try await group.waitForAll()
        }
        let end = Set(try await Samples.cache(environment.other).accounts().map(\.identifier))
        try expect(end.count, is: 15, "the accounts at the end")
        try await recorder.wait(for: "end state") { $0.accounts == end }
      }
    },
    ContractCase("watching ends when its task is cancelled", .watch) { environment in
      let recorder = ChangeRecorder()
      await recorder.start(try Samples.cache(environment.backend).changes())
      try await recorder.wait(for: "snapshot") { $0.changes.count == 1 }
      await recorder.stop()
      try await recorder.wait(for: "end") { $0.hasEnded }
    },
  ]

  private static func watching(
    _ cache: TokenCache, _ body: (ChangeRecorder) async throws -> Void
  ) async throws {
    let recorder = ChangeRecorder()
    await recorder.start(cache.changes())
    do {
      try await body(recorder)
      await recorder.stop()
    } catch {
      await recorder.stop()
      throw error
    }
  }
}
