// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The code of the error that a call throws; `nil` when it succeeds.
func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
  do {
    try await body()
    return nil
  } catch let error as SecretStoreError {
    return error.code
  }
}
