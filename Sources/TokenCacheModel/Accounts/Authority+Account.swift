// SPDX-License-Identifier: MIT

import UnifiedCache

extension Authority {
  /// Returns whether an account at a Microsoft cloud fits this kind of authority.
  ///
  /// The identifier of a B2C account has a policy in it. Tokens of B2C and Azure AD at the same host are kept apart.
  /// At other hosts every account fits.
  func isPolicy(of account: Account) -> Bool {
    guard isMicrosoftHost, CloudEnvironment.isKnown(host) else { return true }
    return HomeAccountID(account.identifier).hasPolicy == (kind == .b2c)
  }

  /// Returns the authority for an account's tokens when the caller names none.
  ///
  /// The account's home tenant replaces `common`, `organizations` and `consumers`. `organizations` is kept for a
  /// personal account, which does not belong to any organization.
  func resolved(for account: Account) -> Authority {
    guard isTenantless, let home = account.homeTenant else { return self }
    if home == Self.personalTenant && realm.lowercased() == "organizations" { return self }
    return forTenant(home)
  }
}
