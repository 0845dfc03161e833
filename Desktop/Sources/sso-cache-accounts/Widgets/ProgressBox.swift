// SPDX-License-Identifier: MIT

import CAdwaita

/// A spinner and a button that cancels, in place of the buttons that begin the work.
@MainActor
final class ProgressBox {
  let widget: Widget
  private let buttons: Widget
  private let progress: Widget
  private let spinner: Widget

  /// - Parameters:
  ///   - buttons: What begins the work.
  ///   - what: What is being done, for a screen reader.
  ///   - cancel: Cancels the work.
  init(_ buttons: [Widget], what: String, cancel: @escaping @MainActor () -> Void) {
    spinner = gtk_spinner_new().described(as: what)
    self.buttons = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 6, buttons)
    progress = makeBox(
      GTK_ORIENTATION_HORIZONTAL, spacing: 6,
      [spinner, makeButton("Cancel", speech: "Cancel: \(what)", cancel).styled("flat")])
    widget = makeBox(GTK_ORIENTATION_HORIZONTAL, spacing: 0, [self.buttons, progress])
    gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
    show(isWorking: false)
  }

  func show(isWorking: Bool) {
    buttons.isShown = !isWorking
    progress.isShown = isWorking
    gtk_spinner_set_spinning(spinner.opaque, isWorking ? 1 : 0)
  }
}
