// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What one check has seen.
struct Finding: Sendable, Hashable {
  var status = Diagnosis.Status.ok
  var detail: String
  var remedy = ""
  var code: SecretStoreError.Code?
  var repair: Diagnosis.Repair?
  var wasLookedAt = true

  static func ok(_ detail: String) -> Finding { Finding(detail: detail) }

  static func warning(_ detail: String, remedy: String, repair: Diagnosis.Repair? = nil) -> Finding {
    Finding(status: .warning, detail: detail, remedy: remedy, repair: repair)
  }

  static func error(
    _ code: SecretStoreError.Code?, _ detail: String, remedy: String, repair: Diagnosis.Repair? = nil
  ) -> Finding {
    Finding(status: .error, detail: detail, remedy: remedy, code: code, repair: repair)
  }

  /// A check that depends on another one, which failed.
  static func notLookedAt(_ reason: String) -> Finding {
    Finding(status: .warning, detail: "Not looked at: \(reason).", wasLookedAt: false)
  }

  /// What an error of the library means here.
  static func error(_ error: any Error) -> Finding {
    let known = (error as? BusError)?.storeError ?? error as? SecretStoreError
    guard let known else { return .error(.storageFailed, "The check failed.", remedy: GeneralRemedy.again) }
    return .error(known.code, known.detail, remedy: GeneralRemedy.text(for: known.code))
  }
}
