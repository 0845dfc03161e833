// SPDX-License-Identifier: MIT

package import SecretStoreCache

/// A group and its accounts as the window shows them.
package struct GroupSection: Sendable, Identifiable, Equatable {
  /// A group, or a locked collection whose group is not known.
  package enum ID: Sendable, Hashable {
    case group(AccessGroup)
    case collection(String)
  }

  /// What is known of the group's state.
  package enum State: Sendable, Hashable {
    /// It is being read for the first time.
    case reading
    case open, locked, unrecoverable
  }

  package let id: ID
  /// Whether the group has a collection of its own, which can be locked; `nil` while that is not known.
  package private(set) var isDedicated: Bool?
  package private(set) var state: State
  /// Whether the Secret Service answered the last read.
  package private(set) var isAvailable = true
  package private(set) var accounts: [AccountItem] = []

  /// The accounts as the group's changes report them.
  private var known: [Account] = []
  private var names: [String: String] = [:]

  /// Creates the section of a group in the list of groups.
  ///
  /// A group's own feed tells its state: reading it opens it without a dialog, if it can be opened so.
  ///
  /// - Parameter declared: The groups that apps declare: one of a collection's label is taken for its group, because
  ///   that is what its apps would open.
  package init(_ summary: GroupSummary, declared: Set<AccessGroup>) {
    let ofLabel = declared.filter { $0.name == summary.collection }
    if let group = summary.group ?? (ofLabel.count == 1 ? ofLabel.first : nil) {
      id = .group(group)
      state = .reading
    } else {
      id = .collection(summary.collection)
      state = .locked
    }
    isDedicated = summary.placement.map { $0 == .dedicated }
  }

  /// The group; `nil` for a locked collection of which nothing tells the group.
  package var group: AccessGroup? {
    if case .group(let group) = id { return group }
    return nil
  }

  /// The group's name, or the collection's label.
  package var title: String {
    switch id {
    case .group(let group): group.name
    case .collection(let label): label.plainText
    }
  }

  /// The publisher and the state, in words.
  package var subtitle: String {
    let owner = group?.publisher.map { "Publisher \($0)" }
    return [owner, stateText].compactMap(\.self).joined(separator: " · ")
  }

  private var stateText: String? {
    if !isAvailable { return "The keyring does not answer; this is what was last known" }
    return switch state {
    case .reading: "Reading…"
    case .open: accounts.isEmpty ? "Nobody is signed in" : nil
    case .locked: group == nil ? "Locked; which group it holds is not known" : "Locked"
    case .unrecoverable: "Locked for good: its password is lost"
    }
  }

  /// Takes over what the list of groups says.
  package mutating func update(_ summary: GroupSummary) {
    if let placement = summary.placement { isDedicated = placement == .dedicated }
  }

  /// Takes over the names of apps.
  package mutating func update(names: [String: String]) {
    self.names = names
    showAccounts()
  }

  /// Takes over a change of the group.
  package mutating func apply(_ change: GroupChange) {
    switch change {
    case .snapshot(let snapshot):
      isAvailable = snapshot.state != .unavailable
      state = State(snapshot.state) ?? state
      known = snapshot.accounts
    case .accountAdded(let account), .accountUpdated(let account), .tokensChanged(let account):
      known.removeAll { $0 == account }
      known.append(account)
    case .accountRemoved(let account): known.removeAll { $0 == account }
    case .groupCreated, .groupMoved, .groupUnlocked: state = .open
    case .groupDeleted:
      state = .open
      known = []
    case .groupLocked: state = .locked
    case .groupUnrecoverable: state = .unrecoverable
    case .unavailable: isAvailable = false
    case .available: isAvailable = true
    }
    if case .snapshot = change {} else if state == .reading { state = .open }
    showAccounts()
  }

  private mutating func showAccounts() {
    guard let group else { return }
    accounts = known.map { AccountItem($0, in: group, names: names) }
      .sorted { Self.order(of: $0) < Self.order(of: $1) }
  }

  private static func order(of item: AccountItem) -> (String, String, String) {
    (item.title.lowercased(), item.id.account.identifier, item.id.account.environment)
  }

  package static func == (left: GroupSection, right: GroupSection) -> Bool {
    left.id == right.id && left.isDedicated == right.isDedicated && left.state == right.state
      && left.isAvailable == right.isAvailable && left.accounts == right.accounts
  }
}

extension GroupSection.State {
  /// The state of a group by its watch; `nil` when the watch could not tell.
  fileprivate init?(_ state: GroupState) {
    switch state {
    case .absent, .open: self = .open
    case .locked: self = .locked
    case .unrecoverable: self = .unrecoverable
    case .unavailable: return nil
    }
  }
}
