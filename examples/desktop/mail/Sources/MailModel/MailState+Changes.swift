// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What other apps and programs do.
extension MailState {
  /// Takes a change of the group.
  public mutating func take(_ change: GroupChange) -> [Effect] {
    switch change {
    case .snapshot(let snapshot):
      let group = Group(snapshot.state)
      accounts = snapshot.accounts
      knowsAccounts = group == .open
      return enter(group)
    case .accountAdded(let account): return add(account)
    case .accountUpdated(let account):
      if let index = accounts.firstIndex(of: account) { accounts[index] = account }
      return []
    case .accountRemoved(let account): return remove(account)
    case .tokensChanged(let account):
      // Another app has signed in again.
      return notices[account] == .signInAgain ? fetch(account) : []
    case .groupLocked: return [.openSilently]
    case .groupUnrecoverable: return enter(.lost)
    case .unavailable: return enter(.unavailable)
    case .groupCreated, .groupMoved, .groupDeleted, .groupUnlocked: return enter(.open)
    // A state that is not the one of before follows.
    case .available: return group == .unavailable ? enter(groupBefore) : []
    }
  }

  mutating func enter(_ new: Group) -> [Effect] {
    let old = group
    group = new
    isOpening = false
    if old != new {
      remedy = ""
      groupBefore = old == .unknown ? .open : old
    }
    switch new {
    case .unknown: return []
    case .open: return knowsAccounts ? fetchSelected() : [.list]
    case .locked: return []
    case .lost: return old == new ? [] : [.diagnose(.groupUnrecoverable)]
    case .unavailable: return old == new ? [] : [.diagnose(.serviceUnavailable)]
    }
  }

  mutating func add(_ account: Account) -> [Effect] {
    if accounts.contains(account) { return [] }
    accounts.append(account)
    // What comes with a group that was opened is no news.
    if !knowsAccounts { return [] }
    if isSigningIn {
      arrivals.append(account)
      return []
    }
    return [Self.arrival(of: account)] + fetchSelected()
  }

  /// Tells that an account came by another app.
  static func arrival(of account: Account) -> Effect {
    .tell("\(Person(account).title) signed in with another Contoso app.")
  }

  mutating func remove(_ account: Account) -> [Effect] {
    guard let index = accounts.firstIndex(of: account) else { return [] }
    accounts.remove(at: index)
    forget(account)
    let isOwn = signingOut == account
    return (isOwn ? [] : [.tell("\(Person(account).title) was signed out.")]) + fetchSelected()
  }

  /// Forgets what was fetched for an account that has been signed out.
  mutating func forget(_ account: Account) {
    messages[account] = nil
    notices[account] = nil
    if chosen == account { chosen = nil }
  }
}

extension MailState.Group {
  fileprivate init(_ state: GroupState) {
    self =
      switch state {
      case .absent, .open: .open
      case .locked: .locked
      case .unrecoverable: .lost
      case .unavailable: .unavailable
      }
  }
}
