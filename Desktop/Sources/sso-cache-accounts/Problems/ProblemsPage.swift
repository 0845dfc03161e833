// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import GTKMainActor

/// The page of what doctor finds, with a button for each remedy that the window may carry out.
@MainActor
final class ProblemsPage {
  let widget: Widget
  private let summary = makeLabel().styled("heading")
  private let progress: ProgressBox
  private let problems: RowList<DoctorCheckRow>
  private let rest: Widget = adw_expander_row_new()
  private let restList: Widget
  private var restRows: [Widget] = []
  private var shown: [DoctorCheck]?

  init(_ actions: Actions) {
    let again = makeButton("Check Again") { actions.controller.diagnose() }
    progress = ProgressBox([again], what: "Checking") { actions.controller.cancel(.diagnosis) }
    problems = RowList { _ in DoctorCheckRow(actions) }
    gtk_widget_set_hexpand(summary, 1)
    adw_preferences_row_set_use_markup(rest.cast(), 0)
    restList = gtk_list_box_new().styled("boxed-list")
    gtk_list_box_set_selection_mode(restList.opaque, GTK_SELECTION_NONE)
    gtk_list_box_append(restList.opaque, rest)
    widget = makePage(
      makeBox(
        GTK_ORIENTATION_VERTICAL, spacing: 24,
        [
          makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [summary, progress.widget]), problems.widget,
          restList,
        ]))
    ssc_set_accessible_label(problems.widget.raw, "Problems")
    ssc_set_accessible_label(restList.raw, "Other checks")
    connect(signal: "notify::expanded", of: rest.raw) { [weak self] in self?.showRest() }
  }

  func show(_ state: AccountsState) {
    let checks = state.checks ?? []
    progress.show(isWorking: state.jobs.contains(.diagnosis))
    setText(summary(of: state), of: summary)
    let found = checks.filter(\.isProblem)
    problems.widget.isShown = !found.isEmpty
    problems.show(found.map { DoctorCheckRow.Item(check: $0, jobs: state.jobs) })
    if state.checks != shown {
      shown = state.checks
      showRest()
    }
  }

  private func summary(of state: AccountsState) -> String {
    state.diagnosisSummary
      ?? (state.jobs.contains(.diagnosis) ? "Checking…" : "Nothing has been checked yet.")
  }

  /// Shows the checks that found nothing wrong, while their row is expanded.
  private func showRest() {
    let checks = (shown ?? []).filter { !$0.isProblem }
    restList.isShown = !checks.isEmpty
    adw_preferences_row_set_title(rest.cast(), "Other checks: \(checks.count)")
    for row in restRows { adw_expander_row_remove(rest.cast(), row) }
    restRows =
      adw_expander_row_get_expanded(rest.cast()) == 0 ? [] : checks.map { makeRow($0.title, $0.detail) }
    for row in restRows { adw_expander_row_add_row(rest.cast(), row) }
  }
}
