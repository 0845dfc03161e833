// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Watches a group in a task of its own and applies what it is told.
actor ChangeRecorder {
  /// The accounts by what was told, by their identifiers.
  private(set) var accounts: Set<String> = []
  /// What was told, in order, in words.
  private(set) var told: [String] = []
  /// What was told twice, or of an account that is not there.
  private(set) var contradictions: [String] = []
  private(set) var hasEnded = false
  private var task: Task<Void, Never>?

  func start(_ changes: GroupChanges) {
    task = Task {
      for await change in changes { take(change) }
      hasEnded = true
    }
  }

  func stop() { task?.cancel() }

  private func take(_ change: GroupChange) {
    var words = "\(change)"
    switch change {
    case .snapshot(let snapshot):
      if !told.isEmpty { contradictions.append("a second snapshot") }
      accounts = Set(snapshot.accounts.map(\.identifier))
    case .accountAdded(let account):
      words = "added"
      if !accounts.insert(account.identifier).inserted { contradictions.append("added twice") }
    case .accountRemoved(let account):
      words = "removed"
      if accounts.remove(account.identifier) == nil { contradictions.append("removed, and not there") }
    case .accountUpdated(let account), .tokensChanged(let account):
      words = if case .accountUpdated = change { "updated" } else { "tokens" }
      if !accounts.contains(account.identifier) { contradictions.append("\(words), and not there") }
    default: break
    }
    told.append(words)
  }

  /// Waits until something holds, for two minutes at most: a machine may be busy.
  func wait(for what: String, line: Int = #line, until holds: @Sendable (isolated ChangeRecorder) -> Bool)
    async throws
  {
    let end = ContinuousClock.now + .seconds(120)
    while !holds(self) {
      guard ContinuousClock.now < end else {
        throw ContractViolation("no \(what); told was \(told)", line: line)
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    try expect(contradictions, is: [], "contradictions", line: line)
  }
}
