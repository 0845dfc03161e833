// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// A worker that performs operations one after the other and logs them.
struct Worker {
  let cache: TokenCache
  let server: TokenServer
  let journal: Journal
  let ownScope: String
  let accounts: Int
  /// The file whose existence announces the end of the round.
  let closing: String

  private static let sharedScope = "mail.read"
  private static let windows = 4
  /// The first of the numbers that are reserved for operations of a burst.
  private static let firstOfBurst = 1_000_000
  /// The pause after an error.
  private static let pauseAfterError = Duration.milliseconds(50)

  /// Performs the operation that the random numbers select, and sometimes cancels it.
  func perform(number: Int, _ random: inout SplitMix64) async throws {
    let account = Int.random(in: 0..<accounts, using: &random)
    var operation = Operation(mayLeave: account > 0, &random)
    if isFinished(account) { operation = operation.withoutSignIn }
    let scope = Int.random(in: 0..<3, using: &random) == 0 ? Self.sharedScope : ownScope
    let roll = Int.random(in: 0..<16, using: &random)
    if operation == .refresh && roll < 3 { return try await burst(account, scope, number: number) }
    let task = Task { [operation] in try await perform(operation, account, scope, number: number) }
    if roll == 0 {
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &random)))
      task.cancel()
    }
    try await task.value
  }

  /// Performs several refreshes at the same time, like several windows of an app.
  private func burst(_ account: Int, _ scope: String, number: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for window in 0..<Self.windows {
        let number = Self.firstOfBurst + number * Self.windows + window
        group.addTask { try await perform(.refresh, account, scope, number: number) }
      }
      try await group.waitForAll()
    }
  }

  /// Returns whether nobody signs in to the account any more.
  ///
  /// Such an account must stay signed out.
  ///
  /// The first two accounts are excluded.
  private func isFinished(_ account: Int) -> Bool {
    account > 1 && FileManager.default.fileExists(atPath: closing)
  }

  func perform(_ operation: Operation, _ account: Int, _ scope: String, number: Int) async throws {
    var end = Journal.Line(number: number)
    do {
      end = try await TokenServer.$operation.withValue("\(ownScope)-\(number)") {
        try await act(operation, account, scope, number: number)
      }
      end.end = "done"
    } catch let error as SecretStoreError {
      end.end = "\(error.code)"
      end.detail = error.detail
    } catch is CancellationError {
      end.end = "cancelled"
    } catch {
      end.end = "other"
      end.detail = "\(error)"
    }
    end.time = Journal.now()
    try journal.append(end)
    if end.end != "done" && end.end != "interactionRequired" {
      try? await Task.sleep(for: Self.pauseAfterError)
    }
  }

  /// Performs an operation.
  ///
  /// - Returns: The log line of the result.
  private func act(
    _ operation: Operation, _ account: Int, _ scope: String, number: Int
  ) async throws -> Journal.Line {
    let identifier = TokenServer.identifier(account)
    var begin = Journal.Line(number: number)
    begin.begin = operation
    begin.account = identifier
    begin.scope = scope
    var end = Journal.Line(number: number)
    switch operation {
    case .save:
      let response = try await server.signIn(account, scope: scope)
      begin.token = response.accessToken
      begin.time = Journal.now()
      try journal.append(begin)
      try await cache.save(response, scopes: [scope])
    case .read, .refresh:
      try journal.append(begin)
      guard let found = try await cache.account(identifier: identifier) else { break }
      let result = try await cache.acquireTokenSilent(
        scopes: [scope], account: found, forceRefresh: operation == .refresh)
      end.token = result.accessToken
      end.source = result.source.rawValue
      end.saveError = result.saveError.map { "\($0.code)" }
    case .list:
      try journal.append(begin)
      end.accounts = try await cache.accounts().map(\.identifier)
    case .signOut:
      try journal.append(begin)
      guard let found = try await cache.account(identifier: identifier) else { break }
      try await cache.signOut(found)
      end.isSignedOut = true
    }
    return end
  }
}
