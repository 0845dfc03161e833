// SPDX-License-Identifier: MIT

import SecretStoreCache

/// What an import has left: the group's records that can't be read, and the file's that are too large.
struct ImportRemains: ErrorWithRemedy {
  private static let maximumNamed = 10

  private let damage: DamageWarning
  private let oversized: [ImportSummary.Oversized]

  init(_ summary: ImportSummary, in group: AccessGroup) {
    damage = DamageWarning(damaged: summary.damaged, group: group)
    oversized = summary.oversized
  }

  /// The code of the error that names it; `nil` when nothing is left.
  var code: SecretStoreError.Code? {
    damage.damaged.isEmpty ? (oversized.isEmpty ? nil : .invalidFile) : .corruptItem
  }

  var detail: String {
    var sentences: [String] = []
    if !damage.damaged.isEmpty {
      sentences.append("Not changed, because it can't be read: \(damage.what): \(damage.names).")
    }
    if !oversized.isEmpty {
      let names = oversized.map(Self.name).sorted().prefix(Self.maximumNamed).joined(separator: ", ")
      let rest =
        oversized.count > Self.maximumNamed ? " and \(oversized.count - Self.maximumNamed) more" : ""
      sentences.append(
        "Not imported, because it is larger than a record or has a token of 1 MB: \(names)\(rest).")
    }
    return sentences.joined(separator: " ")
  }

  var remedy: String {
    var sentences: [String] = []
    if !damage.damaged.isEmpty { sentences.append(Remedy.text(for: .corruptItem, of: damage.group)) }
    if !oversized.isEmpty {
      sentences.append("Sign in to what was not imported with one of the group's apps.")
    }
    return sentences.joined(separator: " ")
  }

  private static func name(of record: ImportSummary.Oversized) -> String {
    let account = record.homeAccountID.isEmpty ? "" : " of \(Printer.printable(record.homeAccountID))"
    return "\(record)\(account)"
  }
}
