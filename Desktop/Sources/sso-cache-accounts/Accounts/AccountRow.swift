// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import GTKMainActor
import SecretStoreCache

/// An account, which expands to its clients and the apps that are signed in.
@MainActor
final class AccountRow: Row {
  struct Item: Identifiable, Equatable {
    let account: AccountItem
    let isWorking: Bool
    var id: AccountItem.ID { account.id }
  }

  let widget: Widget = adw_expander_row_new()
  private let avatar: Widget = adw_avatar_new(32, nil, 1)
  private let actions: Actions
  private let progress: ProgressBox
  private var item: Item?
  /// The rows of clients and apps, while the account is expanded.
  private var details: [Widget] = []

  init(_ item: Item, _ actions: Actions) {
    self.actions = actions
    progress = ProgressBox([], what: "Signing out") { actions.controller.cancel(.account(item.id)) }
    adw_expander_row_add_prefix(widget.cast(), avatar)
    adw_expander_row_add_action(widget.cast(), progress.widget)
    adw_preferences_row_set_use_markup(widget.cast(), 0)
    connect(signal: "notify::expanded", of: widget.raw) { [weak self] in self?.showDetails() }
  }

  func show(_ item: Item) {
    let before = self.item
    self.item = item
    adw_preferences_row_set_title(widget.cast(), item.account.title)
    adw_expander_row_set_subtitle(widget.cast(), item.account.subtitle)
    adw_avatar_set_text(avatar.opaque, item.account.title)
    progress.show(isWorking: item.isWorking)
    if before?.account == item.account { return }
    let hadFocus = gtk_widget_get_focus_child(widget) != nil
    showDetails()
    if hadFocus { gtk_widget_child_focus(widget, GTK_DIR_TAB_FORWARD) }
  }

  /// Makes the rows of an expanded account, and removes those of a collapsed one, which a screen reader would read.
  private func showDetails() {
    for row in details { adw_expander_row_remove(widget.cast(), row) }
    details = []
    guard adw_expander_row_get_expanded(widget.cast()) != 0, let account = item?.account else { return }
    for client in account.clients {
      add(
        client.identifier.plainText, client.subtitle, account, .client(client.identifier),
        speech: "all apps of the client \(client.identifier.plainText)")
      for app in client.apps {
        add(
          app.title, "App · \(app.identifier)", account, .app(app, clientID: client.identifier),
          speech: app.title)
      }
    }
    add(
      "All apps", "Every app that uses this account in the group", account, .everywhere, speech: "every app",
      style: "destructive-action")
  }

  private func add(
    _ title: String, _ subtitle: String, _ account: AccountItem, _ scope: Question.Scope, speech: String,
    style: String = "flat"
  ) {
    let button = makeButton("Sign Out", speech: "Sign \(account.title) out of \(speech)") { [actions] in
      actions.signOut(account, of: scope)
    }
    let row = makeRow(title, subtitle, end: button.styled(style))
    adw_expander_row_add_row(widget.cast(), row)
    details.append(row)
  }
}
