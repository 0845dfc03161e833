// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import SecretStoreCache

/// A group: its name and state, what can be done with it, and its accounts.
@MainActor
final class GroupView: Row {
  struct Item: Identifiable, Equatable {
    let section: GroupSection
    let jobs: Set<AccountsState.Job>
    var id: GroupSection.ID { section.id }
  }

  let widget: Widget
  private let subtitle = makeLabel().styled("dim-label")
  private let open: Widget
  private let lock: Widget
  private let reset: Widget
  private let progress: ProgressBox
  private let accounts: RowList<AccountRow>

  init(_ item: Item, _ actions: Actions) {
    let name = item.section.title
    let group = item.section.group
    open = makeButton("Open…", speech: "Open \(name)") {
      if let group { actions.open(group) } else { actions.openKeyring() }
    }
    lock = makeButton("Lock", speech: "Lock \(name)") { if let group { actions.lock(group) } }
    reset = makeButton("Reset…", speech: "Reset \(name)") { if let group { actions.reset(group) } }
    progress = ProgressBox([open, reset, lock], what: "Working on \(name)") {
      actions.controller.cancel(group.map { .group($0) } ?? .keyring)
    }
    let title = makeLabel(name).styled("heading")
    let texts = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, [title, subtitle])
    gtk_widget_set_hexpand(texts, 1)
    let header = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [texts, progress.widget])
    accounts = RowList { AccountRow($0, actions) }
    ssc_set_accessible_label(accounts.widget.raw, "Accounts of \(name)")
    widget = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 12, [header, accounts.widget])
  }

  func show(_ item: Item) {
    let section = item.section
    setText(section.subtitle, of: subtitle)
    let isLocked = section.state == .locked || section.state == .unrecoverable
    open.isShown = isLocked
    reset.isShown = section.state == .unrecoverable
    lock.isShown = section.state == .open && section.isDedicated == true && section.group != nil
    progress.show(
      isWorking: section.group.map { item.jobs.contains(.group($0)) } ?? item.jobs.contains(.keyring))
    // What was last known of a locked group is not shown as if it were so now.
    let shown = isLocked ? [] : section.accounts
    accounts.widget.isShown = !shown.isEmpty
    accounts.show(shown.map { AccountRow.Item(account: $0, isWorking: item.jobs.contains(.account($0.id))) })
  }
}
