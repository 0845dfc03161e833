// SPDX-License-Identifier: MIT

import CAdwaita

/// A view of one element of a list.
@MainActor
protocol Row: AnyObject {
  associatedtype Item: Identifiable & Equatable
  var widget: Widget { get }
  func show(_ item: Item)
}

/// A list whose rows follow a model: a row that stays keeps the focus and whether it is expanded.
@MainActor
final class RowList<Element: Row> {
  let widget: Widget
  private let isListBox: Bool
  private let make: @MainActor (Element.Item) -> Element
  private var rows: [(item: Element.Item, row: Element)] = []

  /// - Parameters:
  ///   - isListBox: Whether the list is a `GtkListBox` with a frame; otherwise it is a box of widgets.
  ///   - make: Makes the row of an item, which is shown in it afterwards.
  init(isListBox: Bool = true, _ make: @escaping @MainActor (Element.Item) -> Element) {
    self.isListBox = isListBox
    self.make = make
    if isListBox {
      widget = gtk_list_box_new().styled("boxed-list")
      gtk_list_box_set_selection_mode(widget.opaque, GTK_SELECTION_NONE)
    } else {
      widget = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 24)
    }
  }

  /// Shows items: rows of items that are gone are removed, new ones inserted, and changed ones changed.
  func show(_ items: [Element.Item]) {
    let wanted = Set(items.map(\.id))
    var focused: Int?
    for (index, old) in rows.enumerated().reversed() where !wanted.contains(old.item.id) {
      if holdsFocus(old.row) { focused = index }
      remove(old.row.widget)
      rows.remove(at: index)
    }
    for (index, item) in items.enumerated() {
      if index < rows.count, rows[index].item.id == item.id {
        if rows[index].item != item { rows[index].row.show(item) }
        rows[index].item = item
      } else {
        place(item, at: index)
      }
    }
    if let focused { focusRow(near: focused) }
  }

  /// Inserts a new row, or moves one from further below.
  private func place(_ item: Element.Item, at index: Int) {
    let row: Element
    if let old = rows.indices.dropFirst(index).first(where: { rows[$0].item.id == item.id }) {
      row = rows.remove(at: old).row
      g_object_ref(row.widget.raw)
      remove(row.widget)
      insert(row.widget, at: index)
      g_object_unref(row.widget.raw)
    } else {
      row = make(item)
      insert(row.widget, at: index)
    }
    row.show(item)
    rows.insert((item, row), at: index)
  }

  private func insert(_ child: Widget, at index: Int) {
    if isListBox { return gtk_list_box_insert(widget.opaque, child, Int32(index)) }
    gtk_box_insert_child_after(widget.cast(), child, index == 0 ? nil : rows[index - 1].row.widget)
  }

  private func remove(_ child: Widget) {
    if isListBox { gtk_list_box_remove(widget.opaque, child) } else { gtk_box_remove(widget.cast(), child) }
  }

  private func holdsFocus(_ row: Element) -> Bool { gtk_widget_get_focus_child(widget) == row.widget }

  /// Moves the focus from a row that is gone to the one in its place, so that a keyboard's user goes on from there.
  private func focusRow(near index: Int) {
    guard !rows.isEmpty else { return }
    gtk_widget_child_focus(rows[min(index, rows.count - 1)].row.widget, GTK_DIR_TAB_FORWARD)
  }
}
