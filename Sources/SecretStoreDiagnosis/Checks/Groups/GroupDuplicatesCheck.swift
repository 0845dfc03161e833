// SPDX-License-Identifier: MIT

import SecretStoreCache

/// A check that each record has exactly one item that can be read.
struct GroupDuplicatesCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-duplicates"

  func run() -> CheckResult {
    let copies = RecordCopies.all(in: inventory)
    if copies.isEmpty { return .ok("Each record has one item.") }
    let removable = copies.flatMap(\.outdated).count
    if removable > 0 {
      return .warning(
        "More than one item is there for \(Quantity.of(copies.count, "record")); the newest counts.",
        remedy: ToolCommand.fix(inventory.group),
        repair: .init(kind: .mergeDuplicates, group: inventory.group))
    }
    let undecided = copies.count(where: \.isUndecided)
    // What can't be read is in the result of ``GroupEntriesCheck``, whose repair sets it aside.
    if undecided == 0 { return .ok("No record has more than one item that can be read.") }
    return .warning(
      "For \(Quantity.of(undecided, "record")) there are items that differ, and it is not certain which one is newer.",
      remedy: GeneralRemedy.signIn)
  }
}
