// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A part of the tool that is not where it belongs, or does not work.
struct BrokenInstallation: PublishableError {
  /// One sentence for a person.
  let detail: String
  /// What a person can do about it.
  let remedy: String

  var description: String { detail }

  /// The error as whoever asked for a token sees it.
  var storeError: SecretStoreError { SecretStoreError(.networkError, detail, underlying: self) }
}
