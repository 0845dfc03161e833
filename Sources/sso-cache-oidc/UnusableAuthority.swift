// SPDX-License-Identifier: MIT

/// An authority that answers, and at which a token can't be refreshed.
struct UnusableAuthority: Error {
  /// One sentence for a person, without any secret.
  let detail: String
}
