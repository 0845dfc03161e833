// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Who of ADAL's users an app is signed out of.
///
/// ADAL has several items of a user, and later ones come without what an app did before; so what counts is what all of
/// a user's items say together.
struct ADALSignIns {
  /// The items of the client and its family, with those that were buried.
  let items: [ADALStore.Stored]
  /// The app that asks; `nil` for the person at the keyboard.
  let app: AppIdentifier?

  /// Whether an item is not for the app: it signed out of the user, or every app of the client was.
  func isClosed(_ item: ADALStore.Stored) -> Bool {
    let users = items.filter { $0.isOfSameUser(as: item) }
    switch state(in: users) {
    case .signedIn: return false
    case .signedOut: return true
    case nil:
      let own = users.filter { $0.token.familyOfItem == nil }
      return own.contains { $0.sharing.epoch > 0 } && own.allSatisfy { $0.token.kind == nil }
    }
  }

  /// Whether the app itself signed out of an account, and has not signed in again in ADAL's format.
  func hasLeft(_ account: Account, _ aliases: EnvironmentAliases) -> Bool {
    state(in: items.filter { $0.isOf(account, aliases) }) == .signedOut
  }

  /// What the items say of the app; the client's own go before its family's, and signed in before signed out.
  private func state(in items: [ADALStore.Stored]) -> SharingState.SignInState? {
    guard let app else { return nil }
    for isFamilys in [false, true] {
      let states = items.filter { ($0.token.familyOfItem != nil) == isFamilys }.map { $0.sharing[app] }
      if states.contains(.signedIn) { return .signedIn }
      if states.contains(.signedOut) { return .signedOut }
    }
    return nil
  }
}

extension ADALStore.Stored {
  /// Whether the item is an account's, in the account's cloud or at its provider.
  func isOf(_ account: Account, _ aliases: EnvironmentAliases = .shipped) -> Bool {
    aliases.areSame(token.environment, account.environment)
      && ADALUser(token)?.isSame(as: account) == true
  }

  fileprivate func isOfSameUser(as other: ADALStore.Stored) -> Bool {
    token.environment == other.token.environment
      && ADALTokenKey.user(token.userID) == ADALTokenKey.user(other.token.userID)
  }
}
