// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What the user does.
extension MailState {
  /// Takes the reason why the app can't begin, for the user.
  public mutating func notSetUp(_ reason: String) { problem = reason }

  /// Shows the inbox of one of the accounts.
  public mutating func select(_ id: Person.ID) -> [Effect] {
    chosen = accounts.first { $0 == id.account }
    return fetchSelected()
  }

  /// Begins a sign-in, unless one is under way.
  public mutating func beginSignIn() -> Bool {
    if isSigningIn { return false }
    isSigningIn = true
    return true
  }

  /// Ends the sign-in with the account that has signed in.
  public mutating func signedIn(_ account: Account) -> [Effect] {
    if !accounts.contains(account) { accounts.append(account) }
    chosen = account
    group = .open
    knowsAccounts = true
    return endSignIn(except: account) + fetch(account)
  }

  /// Ends the sign-in without an account.
  ///
  /// - Parameter reason: The reason, for the user; `nil` when the user gave it up.
  public mutating func signInFailed(_ reason: String?) -> [Effect] {
    endSignIn(except: nil) + (reason.map { [.tell($0)] } ?? []) + fetchSelected()
  }

  mutating func endSignIn(except own: Account?) -> [Effect] {
    isSigningIn = false
    defer { arrivals = [] }
    return arrivals.filter { $0 != own }.map(Self.arrival)
  }

  /// Begins a sign-out.
  public mutating func beginSignOut(_ account: Account) { signingOut = account }

  /// Ends the sign-out.
  ///
  /// - Parameter reason: The reason why it failed, for the user; `nil` when it did not.
  public mutating func endSignOut(_ account: Account, failure reason: String? = nil) -> [Effect] {
    defer { signingOut = nil }
    if let reason { return [.tell(reason)] }
    return remove(account)
  }

  /// Begins to open the group with the desktop's dialog, unless it is open already.
  public mutating func beginOpening() -> Bool {
    guard group == .locked, !isOpening else { return false }
    isOpening = true
    return true
  }

  /// Fetches the messages of the selected account again.
  public mutating func retry() -> [Effect] {
    guard group != .unavailable else { return [.openSilently] }
    return selected.map { fetch($0) } ?? []
  }

  /// Takes that the machine has a network again.
  public mutating func networkCameBack() -> [Effect] {
    guard let selected, notices[selected] == .offline else { return [] }
    return fetch(selected)
  }
}
