// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import SecretStoreAgent
import SecretStoreCache

/// A row of texts alone.
@MainActor
final class TextRow<Item: TextEntry>: Row {
  let widget: Widget = adw_action_row_new()
  func show(_ item: Item) { setTexts(item.title, item.subtitle, of: widget) }
}

/// A grant, with a button that takes it back if the person gave it.
@MainActor
final class GrantRow: Row {
  struct Item: Identifiable, Equatable {
    let grant: InstalledApps.Grant
    let isWorking: Bool
    var id: InstalledApps.Grant { grant }
  }

  let widget: Widget
  private let progress: ProgressBox

  init(_ item: Item, _ actions: Actions) {
    let entry = GrantEntry(item.grant)
    let revoke = makeButton("Revoke…", speech: "Revoke \(entry.title), \(entry.subtitle)") {
      actions.revoke(item.grant)
    }
    progress = ProgressBox(
      item.grant.source == .user ? [revoke.styled("flat")] : [], what: "Revoking the grant"
    ) {
      actions.controller.cancel(.grant(item.grant))
    }
    widget = makeRow(entry.title, entry.subtitle, end: progress.widget)
  }

  func show(_ item: Item) { progress.show(isWorking: item.isWorking) }
}
