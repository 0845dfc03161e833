// SPDX-License-Identifier: MIT

/// The issuer of an account, as stated in the account's keychain item.
public enum KeychainAccountType: Int, Sendable, Hashable, CaseIterable {
  /// Any other issuer; MSAL for iOS and macOS ignores an account without an `authority_type`.
  case other = 0
  /// Azure AD's version 1 endpoint.
  case aad = 1
  /// Microsoft's personal accounts.
  case msa = 2
  /// The version 2 endpoint, for all kinds of account; the type that MSAL for iOS and macOS writes and reads.
  case mssts = 3
  /// Active Directory Federation Services.
  case adfs = 4

  /// Creates a type from `authority_type` in any case; ``other`` when it is missing or unknown.
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
