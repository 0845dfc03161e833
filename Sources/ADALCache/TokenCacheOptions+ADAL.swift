// SPDX-License-Identifier: MIT

public import TokenCacheModel

extension TokenCacheOptions {
  /// Whether the cache uses ADAL's sign-ins in the group, at Azure AD and AD FS; off by default.
  ///
  /// If so, the accounts include ADAL's users, and the first silent call for one redeems ADAL's refresh token. A
  /// sign-out also applies to ADAL's items. It costs one more search when accounts are listed, when an account is
  /// looked up by its identifier, and in silent calls until the app has used the account.
  public var sharesWithADAL: Bool {
    get { adal.isReading }
    set { adal.isReading = newValue }
  }

  /// Whether responses to sign-ins and refreshes are also saved in ADAL's format, if ADAL has no refresh token of the
  /// client and user yet; off by default.
  ///
  /// This is for suites with apps that use ADAL before 2.7, which can't read MSAL's format. Only Azure AD's responses
  /// for an app are saved, except those for personal accounts.
  public var seedsADAL: Bool {
    get { adal.isSeeding }
    set { adal.isSeeding = newValue }
  }

  private var adal: ADALSharing {
    get { legacySignIns as? ADALSharing ?? ADALSharing() }
    set { legacySignIns = newValue }
  }
}
