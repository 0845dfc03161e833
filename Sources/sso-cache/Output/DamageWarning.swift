// SPDX-License-Identifier: MIT

import SecretStoreCache
import SecretStoreDiagnosis
import StrictJSON

/// The warning about records that can't be read and were left out.
struct DamageWarning {
  let damaged: [DamagedRecord]
  let group: AccessGroup

  /// Prints the warning to standard error.
  func print() {
    if damaged.isEmpty { return }
    Printer.error("sso-cache: warning: \(what) can't be read and \(verb) left out: \(names).\n\(remedy)\n")
  }

  /// The number of records and their group.
  var what: String { "\(damaged.count) \(damaged.count == 1 ? "item" : "items") of \(group)" }

  private var verb: String { damaged.count == 1 ? "is" : "are" }

  /// The descriptions of the records.
  var names: String {
    let shown = damaged.map(\.description).sorted().prefix(10).joined(separator: ", ")
    return Printer.printable(shown) + (damaged.count > 10 ? ", …" : "")
  }

  private var remedy: String {
    "\(ToolCommand.fix(group)) sets what can't be read aside; \(ToolCommand.on(group, "damaged")) lists it."
  }

  /// The records in the tool's JSON output.
  var members: [JSONValue] {
    damaged.map { damaged in
      .object([
        "group": .string(group.name), "publisher": .string(group.publisher?.name ?? ""),
        "kind": .string(damaged.key.kind.rawValue), "client_id": .string(damaged.key.clientID),
        "environment": .string(damaged.key.environment), "detail": .string(damaged.reason),
      ])
    }
  }
}
