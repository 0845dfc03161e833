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
        "Another program, or a newer version, wrote \(Quantity.of(unreadable.count, "item")) that can't be read.",
        remedy: ToolCommand.on(group, "sign-out --whole-group"))
    }
    let empty = inventory.records.filter { $0.bytes?.isEmpty == true }
    if !empty.isEmpty {
      return .warning(
        "\(Quantity.of(empty.count, "empty item")) may be left of a crash of the daemon.",
        remedy: ToolCommand.fix(group), repair: .init(kind: .removeEmptyItems, group: group))
    }
    let orphans = orphanedFamilies
    if orphans > 0 {
      return .warning(
        "There is no account any more for \(Quantity.of(orphans, "refresh token")) of app families.",
        remedy: ToolCommand.on(group, "sign-out --whole-group"))
    }
    return .ok("\(Quantity.of(inventory.records.count, "item")), and each can be read.")
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
