// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretStoreError.BrokerError {
  /// What a `status` means; the page *The broker* has the same table.
  struct Meaning: Sendable {
    let words: String
    let code: SecretStoreError.Code
    /// Whether the group's own refresh token may be used in the broker's place.
    ///
    /// It may not when the authority or a person has decided.
    var allowsRefresh = true
  }

  /// The meaning of each `status`.
  static let meanings: [Int: Meaning] = [
    0: Meaning(words: "unexpected error", code: .serverError),
    2: Meaning(words: "interaction required", code: .interactionRequired, allowsRefresh: false),
    3: Meaning(words: "no network", code: .networkError, allowsRefresh: false),
    4: Meaning(words: "network temporarily unavailable", code: .networkError),
    5: Meaning(words: "server temporarily unavailable", code: .serverError),
    6: Meaning(words: "API contract violation", code: .serverError),
    7: Meaning(words: "user cancelled", code: .promptDismissed, allowsRefresh: false),
    8: Meaning(words: "application cancelled", code: .promptDismissed, allowsRefresh: false),
    9: Meaning(words: "incorrect configuration", code: .serverError),
    11: Meaning(words: "authority untrusted", code: .serverError, allowsRefresh: false),
    13: Meaning(words: "account unusable", code: .interactionRequired, allowsRefresh: false),
    14: Meaning(words: "user data removal required", code: .interactionRequired, allowsRefresh: false),
    15: Meaning(words: "key not found", code: .interactionRequired),
    16: Meaning(words: "account not found", code: .interactionRequired),
    17: Meaning(words: "transient error", code: .serverError),
    19: Meaning(words: "required broker missing", code: .serverError),
    20: Meaning(words: "device not registered", code: .interactionRequired),
    21: Meaning(words: "fall back to native MSAL", code: .interactionRequired),
  ]

  /// The codes of the authority for a redirect URI that the app has not registered.
  static let unregisteredRedirectURI: Set<String> = ["AADSTS50011", "AADSTS500113"]

  /// The broker does not have the account.
  static let accountNotFound: Self = {
    var error = Self(.refused)
    error.status = 16
    return error
  }()

  /// What the error means.
  var meaning: Meaning {
    switch cause {
    case .late: return Meaning(words: "no reply in time", code: .networkError)
    case .gone: return Meaning(words: "the broker went away", code: .networkError)
    case .malformed(let what): return Meaning(words: "a reply that \(what)", code: .invalidResponse)
    case .refused: break
    }
    if declinesScopes {
      return Meaning(words: "declined scopes", code: .declinedScopes, allowsRefresh: false)
    }
    if let status, let meaning = Self.meanings[status], status != 0 { return meaning }
    if ["invalid_grant", "interaction_required", "login_required", "consent_required"].contains(oauthCode) {
      return Meaning(words: "interaction required", code: .interactionRequired, allowsRefresh: false)
    }
    return Meaning(words: "error", code: .serverError)
  }

  /// Whether a later request may succeed without anybody doing anything.
  var isOutage: Bool { cause == .late || cause == .gone || [3, 4, 5, 17].contains(status) }

  /// Returns the error for the caller of the library.
  ///
  /// - Parameter redirectURI: The redirect URI of the request.
  func storeError(redirectURI: String) -> SecretStoreError {
    if let authorityCode, Self.unregisteredRedirectURI.contains(authorityCode) {
      return RedirectURI.unregisteredAtAuthority(redirectURI)
    }
    let detail =
      switch cause {
      case .late: "The identity broker did not reply in time."
      case .gone: "The identity broker could not be started, or went away before it replied."
      case .malformed(let what): "The identity broker sent a reply that \(what)."
      case .refused: "The identity broker refused the request: \(meaning.words)."
      }
    return SecretStoreError(meaning.code, detail, underlying: self)
  }
}
