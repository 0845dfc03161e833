// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// The ADAL users that an app is signed out of.
///
/// ADAL has several items for one user, and items stored later lack the sign-in state of earlier ones. So the state
/// is computed from all items of a user together.
struct ADALSignIns {
  /// The items of the client and its family, tombstones included.
  let items: [ADALStore.Stored]
  /// The app that asks; `nil` when the user acts without an app.
  let app: AppIdentifier?
  private let aliases: EnvironmentAliases
  /// The users whose items the app must not use.
  private let signedOutUsers: Set<User>

  private struct User: Hashable {
    let environment: String
    let name: String

    init(of item: ADALStore.Stored, _ aliases: EnvironmentAliases) {
      environment = item.token.environment(aliases)
      name = Username(item.token.userID).compared
    }
  }

  /// Computes the users that the app is signed out of.
  ///
  /// - Parameter aliases: The hosts that belong to the same cloud.
  init(items: [ADALStore.Stored], app: AppIdentifier?, _ aliases: EnvironmentAliases) {
    self.items = items
    self.app = app
    self.aliases = aliases
    let users = Dictionary(grouping: items) { User(of: $0, aliases) }
    signedOutUsers = Set(users.filter { Self.isSignedOut($0.value, for: app) }.keys)
  }

  /// Whether the app must not use an item: it signed out of the user, or all apps of the client were signed out.
  func isSignedOut(_ item: ADALStore.Stored) -> Bool { signedOutUsers.contains(User(of: item, aliases)) }

  private static func isSignedOut(_ users: [ADALStore.Stored], for app: AppIdentifier?) -> Bool {
    switch state(in: users, of: app) {
    case .signedIn: return false
    case .signedOut: return true
    case nil:
      let own = users.filter { $0.token.familyOfItem == nil }
      return own.contains { $0.metadata.signOutNumber > 0 } && own.allSatisfy { $0.token.kind == nil }
    }
  }

  /// Whether the app itself signed out of an account and has not signed in again in ADAL's format.
  func isAppSignedOut(_ account: Account) -> Bool {
    isAppSignedOut(items: items.filter { $0.isOf(account, aliases) })
  }

  /// Whether the app itself signed out of an account, given the account's items.
  func isAppSignedOut(items: [ADALStore.Stored]) -> Bool {
    Self.state(in: items, of: app) == .signedOut
  }

  /// Returns the app's state in the items: the client's own items come before its family's, and signed in before
  /// signed out.
  private static func state(
    in items: [ADALStore.Stored], of app: AppIdentifier?
  ) -> CacheDocument.SignInState? {
    guard let app else { return nil }
    for isFamilyItem in [false, true] {
      let states = items.filter { ($0.token.familyOfItem != nil) == isFamilyItem }.map { $0.metadata[app] }
      if states.contains(.signedIn) { return .signedIn }
      if states.contains(.signedOut) { return .signedOut }
    }
    return nil
  }
}

extension ADALStore.Stored {
  /// Whether the item belongs to an account, in the same cloud or from the same issuer.
  func isOf(_ account: Account, _ aliases: EnvironmentAliases) -> Bool { token.isOf(account, aliases) }
}

extension ADALToken {
  /// Whether the token belongs to an account, in the same cloud or from the same issuer.
  func isOf(_ account: Account, _ aliases: EnvironmentAliases) -> Bool {
    aliases.areSame(environment(aliases), account.storageEnvironment) && ADALUser.owns(self, account)
  }
}
