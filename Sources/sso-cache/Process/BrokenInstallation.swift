// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// An error for a part of the tool that is missing or does not work.
struct BrokenInstallation: PublishableError, ErrorWithRemedy {
  /// The error message, in one sentence.
  let detail: String
  /// What the user can do about it.
  let remedy: String

  var description: String { detail }

  /// The error that the caller of a token request gets.
  var storeError: SecretStoreError { SecretStoreError(.networkError, detail, underlying: self) }
}
