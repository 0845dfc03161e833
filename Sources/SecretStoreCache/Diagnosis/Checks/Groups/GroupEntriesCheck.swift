// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Whether each item holds what it should, and belongs to something.
struct GroupEntriesCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-entries"

  func find() -> Finding {
    let group = inventory.group
    let unreadable = inventory.records.filter { item in
      guard let record = item.record else { return false }
      if case .failure = record.content { return true }
      return false
    }
    if !unreadable.isEmpty {
      return .warning(
        "\(unreadable.count) items can't be read: another program, or a newer version, wrote them.",
        remedy: ToolCommand.on(group, "sign-out --whole-group"))
    }
    let empty = inventory.records.filter { $0.bytes?.isEmpty == true }
    if !empty.isEmpty {
      return .warning(
        "\(empty.count) items are empty, as a crash of the daemon leaves them.",
        remedy: ToolCommand.fix(group), repair: .init(kind: .removeEmptyItems, group: group))
    }
    let orphans = orphanedFamilies
    if orphans > 0 {
      return .warning(
        "\(orphans) refresh tokens of app families belong to no account that is signed in.",
        remedy: ToolCommand.on(group, "sign-out --whole-group"))
    }
    return .ok("\(inventory.records.count) items, and each can be read.")
  }

  /// Refresh tokens of families whose account is in no client's document.
  private var orphanedFamilies: Int {
    let accounts = Set((inventory.items(.credentials)).compactMap { $0.key?.account })
    return inventory.items(.family).filter { item in
      guard let key = item.key, item.document?.hasTokens == true else { return false }
      return !accounts.contains(key.account)
    }.count
  }
}
