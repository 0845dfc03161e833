// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// The result of one check.
struct CheckResult: Sendable, Hashable {
  var status = Diagnosis.Status.ok
  var detail: String
  var remedy = ""
  var code: SecretStoreError.Code?
  var repair: Diagnosis.Repair?
  var wasPerformed = true
  /// Whether any repair could make the problem worse.
  var forbidsRepairs = false

  static func ok(_ detail: String) -> CheckResult { CheckResult(detail: detail) }

  static func warning(_ detail: String, remedy: String, repair: Diagnosis.Repair? = nil) -> CheckResult {
    CheckResult(status: .warning, detail: detail, remedy: remedy, repair: repair)
  }

  static func error(
    _ code: SecretStoreError.Code?, _ detail: String, remedy: String, repair: Diagnosis.Repair? = nil
  ) -> CheckResult {
    CheckResult(status: .error, detail: detail, remedy: remedy, code: code, repair: repair)
  }

  /// Returns the result of a check that was skipped because a check that it depends on failed.
  static func skipped(_ reason: String) -> CheckResult {
    CheckResult(status: .warning, detail: "Skipped: \(reason).", wasPerformed: false)
  }

  /// Returns the remedy that an error states itself; `nil` where only its code is known.
  static func ownRemedy(of error: any Error) -> String? {
    let known = (error as? BusError)?.storeError ?? error as? SecretStoreError
    return (known?.underlying as? any ErrorWithRemedy)?.remedy
  }

  /// Returns the result for an error that the library or the bus reported during a check.
  static func error(_ error: any Error) -> CheckResult {
    let known = (error as? BusError)?.storeError ?? error as? SecretStoreError
    guard let known else { return .error(.storageFailed, "The check failed.", remedy: GeneralRemedy.again) }
    return .error(
      known.code, known.detail, remedy: Self.ownRemedy(of: known) ?? GeneralRemedy.text(for: known.code))
  }
}
