// SPDX-License-Identifier: MIT

public import TokenCacheModel
public import UnifiedCache

extension AccountDirectory {
  /// Creates a directory over a back end.
  ///
  /// - Parameters:
  ///   - backend: The back end.
  ///   - sharesWithADAL: Whether ADAL's users are among the accounts, and are signed out with them.
  public init(backend: any TokenCacheBackend, sharesWithADAL: Bool) {
    self.init(backend: backend, legacySignIns: sharesWithADAL ? ADALSharing(isReading: true) : nil)
  }
}
