// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import SecretStoreDiagnosis

/// A problem that doctor found: what it is, what a person can do, and buttons for what the window can do.
@MainActor
final class DoctorCheckRow: Row {
  struct Item: Identifiable, Equatable {
    let check: DoctorCheck
    /// What is being done of what the check's buttons begin.
    let jobs: Set<AccountsState.Job>
    var id: String { check.id }

    init(check: DoctorCheck, jobs: Set<AccountsState.Job>) {
      self.check = check
      self.jobs = jobs.intersection(check.remedies.map(\.job))
    }
  }

  let widget: Widget = gtk_list_box_row_new()
  private let actions: Actions
  private let icon: Widget = gtk_image_new()
  private let title = makeLabel().styled("heading")
  private let detail = makeLabel()
  private let advice = makeLabel(isSelectable: true).styled("dim-label")
  private let buttons = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 6)
  private var progress: [(DoctorCheck.Remedy, ProgressBox)] = []

  init(_ actions: Actions) {
    self.actions = actions
    gtk_list_box_row_set_activatable(widget.cast(), 0)
    gtk_widget_set_halign(buttons, GTK_ALIGN_END)
    gtk_widget_set_valign(icon, GTK_ALIGN_START)
    let texts = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 6, [title, detail, advice, buttons])
    gtk_widget_set_hexpand(texts, 1)
    let content = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [icon, texts])
    gtk_list_box_row_set_child(widget.cast(), content.padded(12))
  }

  func show(_ item: Item) {
    let check = item.check
    let isError = check.status == .error
    gtk_image_set_from_icon_name(icon.opaque, isError ? "dialog-error-symbolic" : "dialog-warning-symbolic")
    ssc_set_accessible_label(icon.raw, isError ? "Error" : "Warning")
    setText(check.title, of: title)
    setText(check.detail, of: detail)
    setText(check.advice, of: advice)
    ssc_set_accessible_label(
      widget.raw, "\(isError ? "Error" : "Warning"): \(check.title). \(check.detail)")
    if check.remedies != progress.map(\.0) { replaceButtons(check) }
    for (remedy, box) in progress { box.show(isWorking: item.jobs.contains(remedy.job)) }
  }

  private func replaceButtons(_ check: DoctorCheck) {
    for (_, box) in progress { gtk_box_remove(buttons.cast(), box.widget) }
    progress = check.remedies.map { remedy in
      let button = makeButton(remedy.label, speech: "\(remedy.label) \(check.title)") { [actions] in
        actions.carryOut(remedy)
      }
      let box = ProgressBox([button], what: remedy.label) { [actions] in actions.controller.cancel(remedy.job)
      }
      gtk_box_append(buttons.cast(), box.widget)
      return (remedy, box)
    }
    buttons.isShown = !progress.isEmpty
  }
}
