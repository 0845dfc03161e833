// SPDX-License-Identifier: MIT

import SecretStoreCache

/// What can go wrong with a call; see `Scripts/support/mock-secret-service`.
enum Fault: String, CaseIterable {
  case late, hang, vanish, disconnect, error, twice, type, path, random, ignored
  case length, vector, garbage, stranger, swapped, none

  /// The faults that every method can have and that end a call without its deadline.
  static let prompt: [Fault] = [.disconnect, .error, .twice, .type]

  /// The faults of what `GetSecrets` answers.
  static let ofSecrets: [Fault] = [.length, .vector, .garbage, .stranger, .swapped, .none]

  /// The code that a call ends with; `nil` when it works all the same.
  var code: SecretStoreError.Code? {
    switch self {
    case .late, .hang, .vanish, .ignored: .timedOut
    case .disconnect: .serviceUnavailable
    case .twice: nil
    default: .storageFailed
    }
  }
}
