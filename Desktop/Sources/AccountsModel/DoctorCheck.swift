// SPDX-License-Identifier: MIT

package import SecretStoreCache
package import SecretStoreDiagnosis

/// One check of doctor as the window shows it, and what the window can do about it.
package struct DoctorCheck: Sendable, Equatable, Identifiable {
  /// What a button beside the check does.
  package enum Remedy: Sendable, Hashable {
    /// A repair that loses no data.
    case repair(Diagnosis.Repair)
    /// Opening a group, by the desktop's own dialog if that is needed.
    case open(AccessGroup)
    /// Opening the keyring that groups need, or making it where there is none.
    case openKeyring
    /// Making a group anew that nothing can open.
    case reset(AccessGroup)

    /// The label of the button.
    package var label: String {
      switch self {
      case .repair: "Repair…"
      case .open: "Open…"
      case .openKeyring: "Open Keyring…"
      case .reset: "Reset…"
      }
    }

    /// The work that the button begins.
    package var job: AccountsState.Job {
      switch self {
      case .repair(let repair): .repair(repair)
      case .open(let group), .reset(let group): .group(group)
      case .openKeyring: .keyring
      }
    }
  }

  package let id: String
  package let status: Diagnosis.Status
  /// Whether the check was made.
  package let wasPerformed: Bool
  package let title: String
  /// What was found.
  package let detail: String
  /// What a person can do, in the library's words; empty when there is nothing to do.
  package let advice: String
  package let remedies: [Remedy]

  package init(_ check: Diagnosis.Check) {
    id = check.name
    status = check.status
    wasPerformed = check.wasPerformed
    let kind = check.name.prefix { $0 != ":" }
    let subject = check.name.dropFirst(kind.count + 1)
    let words = kind.replacing("-", with: " ")
    title =
      (words.prefix(1).uppercased() + words.dropFirst() + (subject.isEmpty ? "" : ": \(subject)")).plainText
    detail = check.detail.plainText(upTo: 2000)
    advice = check.remedy.plainText(upTo: 2000)
    remedies = Self.remedies(for: check)
  }

  /// Whether a check that was made found something wrong.
  package var isProblem: Bool { status != .ok && wasPerformed }

  private static func remedies(for check: Diagnosis.Check) -> [Remedy] {
    if let repair = check.repair { return [.repair(repair)] }
    let isKeyring = ["login", "default-collection"].contains(check.name)
    switch (check.code, check.group) {
    case (.groupUnrecoverable?, let group?): return [.open(group), .reset(group)]
    case (.groupLocked?, let group?): return [.open(group)]
    case (.groupLocked?, nil) where isKeyring: return [.openKeyring]
    case (.serviceUnavailable?, nil) where check.name == "login": return [.openKeyring]
    default: return []
    }
  }
}
