// SPDX-License-Identifier: MIT

import SecretStoreCache

extension TokenResult.Unsaved {
  /// What a failed save means for the user, and why it failed.
  var consequence: String {
    let loss =
      losesRefreshToken
      ? "the new refresh token could not be saved and is lost, so that a new sign-in may be needed"
      : "the token could not be saved"
    return "\(loss): \(saveError.detail)"
  }

  /// What the user can do about it.
  func remedy(in group: AccessGroup?) -> String {
    let mending = Remedy.text(for: saveError.code, of: group)
    if !losesRefreshToken { return mending }
    let signIn = "If the next call asks for a sign-in, sign in with one of the group's apps."
    return mending.isEmpty ? signIn : "\(mending) \(signIn)"
  }
}
