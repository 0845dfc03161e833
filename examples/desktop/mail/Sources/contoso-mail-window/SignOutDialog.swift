// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import MailModel

/// The question from where to sign out: the two ways that MSAL has.
enum SignOutDialog {
  /// Asks the question, and calls a function with whether all apps are meant; not when the user takes it back.
  @MainActor
  static func ask(about person: Person, over window: Part, _ signOut: @escaping @MainActor (Bool) -> Void) {
    let dialog = Part(
      UnsafeMutableRawPointer(
        adw_message_dialog_new(
          window.as(GtkWindow.self), "Sign out of \(person.title)?",
          "From this app: removes the account from Contoso Mail. Other Contoso apps stay signed in.\n\n"
            + "From all Contoso apps: removes the account and its tokens for every app that shares the sign-in. "
            + "You sign in again to use any of them.")))
    let pointer = dialog.as(AdwMessageDialog.self)
    for (response, label) in [
      ("cancel", "_Cancel"), ("app", "From _This App"), ("all", "From _All Contoso Apps"),
    ] { adw_message_dialog_add_response(pointer, response, label) }
    adw_message_dialog_set_response_appearance(pointer, "all", ADW_RESPONSE_DESTRUCTIVE)
    adw_message_dialog_set_default_response(pointer, "app")
    adw_message_dialog_set_close_response(pointer, "cancel")
    connect(textSignal: "response", of: dialog.pointer) { response in
      if response != "cancel" { signOut(response == "all") }
    }
    gtk_window_present(dialog.as(GtkWindow.self))
  }
}
