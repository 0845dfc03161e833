// SPDX-License-Identifier: MIT

public import KeychainGroupModel

extension AccountEntry {
  /// Makes an account in one tenant of its members, under the names that unified caches use.
  ///
  /// - Throws: `invalidArgument` when `home_account_id` or `environment` is missing or empty.
  public init(fields: JSONObject) throws(SecretStoreError) {
    guard let entry = AccountEntry(.object(fields)) else {
      throw SecretStoreError(.invalidArgument, "The account lacks one of its required members.")
    }
    self = entry
  }
}

extension AppMetadataEntry {
  /// Makes what is known of a client of its members, under the names that unified caches use.
  ///
  /// - Throws: `invalidArgument` when `client_id` or `environment` is missing or empty.
  public init(fields: JSONObject) throws(SecretStoreError) {
    guard let entry = AppMetadataEntry(.object(fields)) else {
      throw SecretStoreError(.invalidArgument, "The app metadata lacks one of its required members.")
    }
    self = entry
  }
}
