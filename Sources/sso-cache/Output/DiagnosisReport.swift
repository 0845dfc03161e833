// SPDX-License-Identifier: MIT

import SecretStoreCache
import SecretStoreDiagnosis
import StrictJSON

/// The printed form of a diagnosis.
struct DiagnosisReport {
  private let diagnosis: Diagnosis

  init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }

  /// The diagnosis in the tool's JSON output.
  var json: JSONValue {
    .object([
      "status": .string(diagnosis.status.rawValue),
      "checks": .array(
        diagnosis.checks.map { check in
          .object([
            "name": .string(check.name), "status": .string(check.status.rawValue),
            "detail": .string(check.detail), "remedy": .string(check.remedy),
          ])
        }),
    ])
  }

  /// Prints a line for each check under the heading of its group, the remedy below it, and a summary at the end.
  func print() {
    let width = diagnosis.checks.map { Self.name($0).count }.max() ?? 0
    var group: AccessGroup?
    for check in diagnosis.checks {
      if check.group != group {
        Printer.line(check.group.map { "\nGroup \($0)" } ?? "")
        group = check.group
      }
      let name = Self.name(check)
      let padding = String(repeating: " ", count: width - name.count)
      Printer.line("\(Self.mark(check)) \(name)\(padding)  \(Printer.printable(check.detail))")
      if !check.remedy.isEmpty { Printer.line("    → \(Printer.printable(check.remedy))") }
    }
    Printer.line("\n\(diagnosis.summary)")
  }

  private static func mark(_ check: Diagnosis.Check) -> String {
    if !check.wasPerformed { return "-" }
    return switch check.status {
    case .ok: "✓"
    case .warning: "!"
    case .error: "✗"
    }
  }

  /// Returns the check's name, without the group when a heading names it.
  private static func name(_ check: Diagnosis.Check) -> String {
    guard check.group != nil, let colon = check.name.firstIndex(of: ":") else {
      return Printer.printable(check.name)
    }
    return String(check.name[..<colon])
  }
}
