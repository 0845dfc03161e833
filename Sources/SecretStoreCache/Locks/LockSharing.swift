// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether this process's locks are known to be those of every app that it shares groups with; found out when it is
/// first asked for.
final class LockSharing: Sendable {
  private let known: Locked<Bool?>
  private let facts: any ProcessFactsSource

  /// - Parameter stated: What the app says; `nil` to find it out.
  init(stated: Bool? = nil, facts: any ProcessFactsSource = SystemProcessFacts()) {
    known = Locked(stated)
    self.facts = facts
  }

  var isShared: Bool {
    if let known = known.withLock({ $0 }) { return known }
    let found = RuntimeDirectory.isShared(by: facts.processFacts())
    known.withLock { $0 = found }
    return found
  }
}
