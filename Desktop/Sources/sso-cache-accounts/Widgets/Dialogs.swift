// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import GTKMainActor

/// The dialogs and toasts of a window; all texts are plain.
@MainActor
struct Dialogs {
  let window: Widget
  let toasts: Widget

  /// Asks before something is removed.
  ///
  /// Escape and closing the dialog mean no. Enter means no, too, where data is removed.
  func ask(_ question: Question, then agreed: @escaping @MainActor () -> Void) {
    let dialog = makeDialog(question.title, question.text)
    adw_message_dialog_add_response(dialog.cast(), "cancel", "Cancel")
    adw_message_dialog_add_response(dialog.cast(), "agree", question.agree)
    adw_message_dialog_set_response_appearance(
      dialog.cast(), "agree", question.isDestructive ? ADW_RESPONSE_DESTRUCTIVE : ADW_RESPONSE_SUGGESTED)
    adw_message_dialog_set_default_response(dialog.cast(), question.isDestructive ? "cancel" : "agree")
    adw_message_dialog_set_close_response(dialog.cast(), "cancel")
    connect(textSignal: "response", of: dialog.raw) { if $0 == "agree" { agreed() } }
    gtk_window_present(dialog.cast())
  }

  /// Shows why something failed.
  func show(_ failure: Failure) {
    let dialog = makeDialog(failure.title, failure.detail)
    adw_message_dialog_add_response(dialog.cast(), "close", "OK")
    adw_message_dialog_set_close_response(dialog.cast(), "close")
    gtk_window_present(dialog.cast())
  }

  /// Says for a moment that something is done.
  func say(_ sentence: String) {
    let toast: OpaquePointer = adw_toast_new("")
    // The toast's own title is markup.
    let title: Widget = gtk_label_new(sentence)
    gtk_label_set_ellipsize(title.opaque, PANGO_ELLIPSIZE_END)
    adw_toast_set_custom_title(toast, title)
    adw_toast_overlay_add_toast(toasts.opaque, toast)
  }

  private func makeDialog(_ heading: String, _ body: String) -> Widget {
    let dialog: Widget = adw_message_dialog_new(window.cast(), nil, nil)
    adw_message_dialog_set_heading(dialog.cast(), heading)
    adw_message_dialog_set_body(dialog.cast(), body)
    return dialog
  }
}
