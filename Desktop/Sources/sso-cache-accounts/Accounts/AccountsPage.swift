// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita

/// The page of the groups and their accounts.
@MainActor
final class AccountsPage {
  let widget: Widget
  private let sections: RowList<GroupView>
  private let warning: Widget
  private let warningLabel = makeLabel()
  private let reading = gtk_spinner_new().described(as: "Reading the groups")
  private let list: Widget
  private let empty: Widget
  private let failurePage: Widget
  private let failureLabel = makeLabel()

  init(_ actions: Actions) {
    sections = RowList(isListBox: false) { GroupView($0, actions) }
    let toProblems = { makeButton("Look for the Cause") { actions.showProblems() } }
    gtk_widget_set_hexpand(warningLabel, 1)
    warning = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [warningLabel, toProblems()])
    gtk_label_set_justify(failureLabel.opaque, GTK_JUSTIFY_CENTER)
    failurePage = makeStatusPage(
      icon: "dialog-warning-symbolic", title: "", [failureLabel, toProblems().styled("pill")])
    list = makePage(makeBox(GTK_ORIENTATION_VERTICAL, spacing: 24, [warning, sections.widget]))
    gtk_widget_set_size_request(reading, 32, 32)
    gtk_widget_set_vexpand(reading, 1)
    empty = makeStatusPage(
      icon: "system-users-symbolic", title: "No Accounts Yet",
      [makeLabel("An app makes its group with the first sign-in.")])
    widget = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, [reading, list, empty, failurePage])
  }

  func show(_ state: AccountsState) {
    sections.show(
      state.groups.map { section in
        GroupView.Item(section: section, jobs: state.jobs.filter { $0.isOf(section) })
      })
    warning.isShown = state.failure != nil
    if let failure = state.failure {
      setText(failure.title, of: warningLabel)
      adw_status_page_set_title(failurePage.opaque, failure.title)
      setText(failure.detail, of: failureLabel)
    }
    list.isShown = !state.groups.isEmpty
    failurePage.isShown = state.groups.isEmpty && state.failure != nil
    empty.isShown = state.groups.isEmpty && state.failure == nil && state.isListed
    reading.isShown = state.groups.isEmpty && state.failure == nil && !state.isListed
    gtk_spinner_set_spinning(reading.opaque, reading.isShown ? 1 : 0)
  }
}

extension AccountsState.Job {
  /// Whether the work concerns a group or one of its accounts.
  fileprivate func isOf(_ section: GroupSection) -> Bool {
    switch self {
    case .group(let group): group == section.group
    case .account(let id): id.group == section.group
    case .keyring: section.group == nil
    default: false
    }
  }
}
