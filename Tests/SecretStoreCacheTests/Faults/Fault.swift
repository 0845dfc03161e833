// SPDX-License-Identifier: MIT

import SecretStoreCache

/// A fault of a call; see `Scripts/support/mocks/mock-secret-service`.
enum Fault: String, CaseIterable {
  case late, hang, vanish, reclaim, disconnect, error, twice, type, path, random, ignored, signals, forged,
    text
  case forgedError = "forged-error"
  case length, vector, garbage, stranger, swapped, none

  /// The faults that every method can have and that end a call without its deadline.
  static let prompt: [Fault] = [.disconnect, .error, .twice, .type]

  /// A reply that another program sends in the service's place.
  static let forgeries: [Fault] = [.forged, .forgedError]

  /// The faults of the reply to `GetSecrets`.
  static let ofSecrets: [Fault] = [.length, .vector, .garbage, .stranger, .swapped, .none]

  /// The faults of the reply to `GetSecret`.
  static let ofSecret: [Fault] = [.length, .vector, .garbage, .stranger]

  /// The error code of the call; `nil` when the call works despite the fault.
  var code: SecretStoreError.Code? {
    switch self {
    case .late, .hang, .vanish, .ignored: .timedOut
    case .disconnect: .serviceUnavailable
    case .reclaim, .twice, .signals, .forged, .forgedError: nil
    default: .storageFailed
    }
  }
}
