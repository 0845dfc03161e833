// SPDX-License-Identifier: MIT

/// Who issued an account, as far as an account's keychain item says it.
public enum KeychainAccountType: Int, Sendable, Hashable, CaseIterable {
  /// Anybody else; MSAL for iOS and macOS takes an account without an `authority_type` for no account.
  case other = 0
  /// The v1 endpoint of Azure AD.
  case aad = 1
  /// Microsoft's personal accounts.
  case msa = 2
  /// The v2 endpoint, for accounts of all sorts: what MSAL for iOS and macOS itself writes and reads.
  case mssts = 3
  /// Active Directory Federation Services.
  case adfs = 4

  /// Reads `authority_type`, in any case; ``other`` for a missing one and for one this version doesn't know.
  public init(authorityType: String?) {
    switch authorityType?.lowercased() {
    case "aad": self = .aad
    case "msa": self = .msa
    case "mssts": self = .mssts
    case "adfs": self = .adfs
    default: self = .other
    }
  }

  /// The type of the keychain items that hold accounts of this type.
  var keychainType: Int { 1000 + rawValue }
}
