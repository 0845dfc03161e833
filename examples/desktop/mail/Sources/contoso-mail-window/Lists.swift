// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import MailModel

/// The lists of the window: the accounts and the messages.
@MainActor
final class Lists {
  private let people: Part
  private let messages: Part
  private var shownPeople: [Person] = []
  private var shownSelected: Person?
  private var shownMessages: [Message]?

  init(_ parts: Parts) {
    people = parts["people"]
    messages = parts["messages"]
    messages.set("visible", false)
  }

  func show(_ people: [Person], selected: Person, _ select: @escaping @MainActor (Person.ID) -> Void) {
    if people == shownPeople && selected == shownSelected { return }
    (shownPeople, shownSelected) = (people, selected)
    empty(self.people)
    for person in people {
      let row = addRow(to: self.people, title: person.name, subtitle: person.detail, avatar: person.name)
      row.set("activatable", true)
      if person == selected {
        let mark = Part(new: gtk_image_get_type())
        mark.set("icon-name", "object-select-symbolic")
        mark.setAccessibleLabel("Selected")
        adw_action_row_add_suffix(row.as(AdwActionRow.self), mark.as(GtkWidget.self))
      }
      connect(signal: "activated", of: row.pointer) { select(person.id) }
    }
  }

  func show(_ messages: [Message]?) {
    if messages == shownMessages { return }
    shownMessages = messages
    empty(self.messages)
    self.messages.set("visible", messages?.isEmpty == false)
    for message in messages ?? [] {
      let row = addRow(
        to: self.messages, title: message.subject, subtitle: message.sender, avatar: message.sender)
      row.set("title-lines", 2)
    }
  }

  /// Adds a row, whose texts are text and no markup.
  private func addRow(to list: Part, title: String, subtitle: String, avatar name: String) -> Part {
    let row = Part(new: adw_action_row_get_type())
    row.set("use-markup", false)
    row.set("title", title)
    row.set("subtitle", subtitle)
    row.set("title-lines", 1)
    row.set("subtitle-lines", 1)
    let avatar = Part(new: adw_avatar_get_type())
    avatar.set("size", 32)
    avatar.set("show-initials", true)
    avatar.set("text", name)
    adw_action_row_add_prefix(row.as(AdwActionRow.self), avatar.as(GtkWidget.self))
    gtk_list_box_append(list.opaque, row.as(GtkWidget.self))
    return row
  }

  private func empty(_ list: Part) {
    while let row = gtk_widget_get_first_child(list.as(GtkWidget.self)) {
      gtk_list_box_remove(list.opaque, row)
    }
  }
}
