// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What came of the work.
extension MailState {
  /// Takes the messages of an account.
  public mutating func fetched(_ messages: [Message], of account: Account) {
    fetching.remove(account)
    guard accounts.contains(account) else { return }
    self.messages[account] = messages
    notices[account] = nil
  }

  /// Takes the list of the accounts.
  public mutating func listed(_ accounts: [Account]) -> [Effect] {
    self.accounts = accounts
    knowsAccounts = true
    return enter(.open)
  }

  /// Takes the error of a fetch.
  public mutating func fetchFailed(_ error: any Error, of account: Account) -> [Effect] {
    fetching.remove(account)
    guard accounts.contains(account) else { return [] }
    switch (error as? SecretStoreError)?.code {
    case .interactionRequired?: notices[account] = .signInAgain
    case .networkError?: notices[account] = .offline
    case .serverError?: notices[account] = .failed("The server reports an error.")
    default: return groupFailed(error, or: { $0.notices[account] = .failed(Explanation.of(error)) })
    }
    return []
  }

  /// Takes that a call opened the group, or failed to.
  public mutating func opened(_ result: Result<Void, any Error>) -> [Effect] {
    let wasAsked = isOpening
    isOpening = false
    guard case .failure(let error) = result else { return enter(.open) }
    // Without the accounts there is nothing to show.
    let effects = groupFailed(error) { if !$0.knowsAccounts { $0.group = .unavailable } }
    return effects + (wasAsked && !Explanation.isDismissal(error) ? [.tell(Explanation.of(error))] : [])
  }

  /// Takes the remedy of doctor against what is wrong with the group.
  public mutating func diagnosed(_ remedy: String?) {
    self.remedy = DisplayText.line(remedy ?? "", maximumLength: 1_000)
  }

  /// Takes the error of a call that says in which state the group is.
  mutating func groupFailed(_ error: any Error, or other: (inout MailState) -> Void) -> [Effect] {
    switch (error as? SecretStoreError)?.code {
    case .groupLocked?, .promptDismissed?: return enter(.locked)
    case .groupUnrecoverable?: return enter(.lost)
    case .serviceUnavailable?, .timedOut?: return enter(.unavailable)
    default:
      other(&self)
      return []
    }
  }

  mutating func fetchSelected() -> [Effect] {
    guard let selected, messages[selected] == nil else { return [] }
    return fetch(selected)
  }

  mutating func fetch(_ account: Account) -> [Effect] {
    fetching.insert(account).inserted ? [.fetch(account)] : []
  }
}
