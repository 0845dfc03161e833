// SPDX-License-Identifier: MIT

import TokenCacheModel

/// An observer that watches a group in its own task and records the changes.
actor ChangeRecorder {
  /// The identifiers of the accounts according to the changes.
  private(set) var accounts: Set<String> = []
  /// The recorded changes in their order.
  private(set) var changes: [String] = []
  /// Changes that were reported twice, or that concern an account that does not exist.
  private(set) var inconsistencies: [String] = []
  private(set) var hasEnded = false
  private var task: Task<Void, Never>?

  func start(_ changes: GroupChanges) {
    task = Task {
      for await change in changes { record(change) }
      hasEnded = true
    }
  }

  func stop() { task?.cancel() }

  private func record(_ change: GroupChange) {
    var name = "\(change)"
    switch change {
    case .snapshot(let snapshot):
      if !changes.isEmpty { inconsistencies.append("a second snapshot") }
      accounts = Set(snapshot.accounts.map(\.identifier))
    case .accountAdded(let account):
      name = "added"
      if !accounts.insert(account.identifier).inserted { inconsistencies.append("added twice") }
    case .accountRemoved(let account):
      name = "removed"
      if accounts.remove(account.identifier) == nil { inconsistencies.append("removed, and not there") }
    case .accountUpdated(let account), .tokensChanged(let account):
      name = if case .accountUpdated = change { "updated" } else { "tokens" }
      if !accounts.contains(account.identifier) { inconsistencies.append("\(name), and not there") }
    default: break
    }
    changes.append(name)
  }

  /// Waits until a condition holds.
  ///
  /// It fails after two minutes, which allows for a busy machine.
  func wait(
    for what: String, file: String = #fileID, line: Int = #line,
    until holds: @Sendable (isolated ChangeRecorder) -> Bool
  ) async throws {
    let end = ContinuousClock.now + TimeLimit.longest
    while !holds(self) {
      guard ContinuousClock.now < end else {
        throw FailedExpectation("no \(what); received: \(changes)", file: file, line: line)
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    try expect(inconsistencies, is: [], "contradictions", file: file, line: line)
  }
}
