// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import StrictJSON

extension AccountEntry {
  /// Creates an account in one tenant from its members, under the names that unified caches use.
  ///
  /// - Throws: `invalidArgument` when `home_account_id` or `environment` is missing or empty, or an identifier
  ///   holds a control character.
  public init(fields: JSONObject) throws(SecretStoreError) {
    self = try complete(AccountEntry(.object(fields)), "account")
  }
}

extension AppMetadataEntry {
  /// Creates a client's metadata from its members, under the names that unified caches use.
  ///
  /// - Throws: `invalidArgument` when `client_id` or `environment` is missing or empty, or an identifier holds a
  ///   control character.
  public init(fields: JSONObject) throws(SecretStoreError) {
    self = try complete(AppMetadataEntry(.object(fields)), "app metadata")
  }
}

private func complete<Entry>(_ entry: Entry?, _ name: String) throws(SecretStoreError) -> Entry {
  guard let entry else {
    throw SecretStoreError(
      .invalidArgument,
      "The \(name) lacks one of its required members, or an identifier holds a control character.")
  }
  return entry
}
