// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor

/// A widget of GTK, which belongs to its parent.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer<GtkWidget> {
  var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
  /// The widget for functions on a type without visible fields.
  var opaque: OpaquePointer { OpaquePointer(self) }
  /// The widget as a type that it has.
  func cast<Kind>() -> UnsafeMutablePointer<Kind> { raw.assumingMemoryBound(to: Kind.self) }
}

@MainActor
extension UnsafeMutablePointer<GtkWidget> {
  /// Adds style classes.
  func styled(_ classes: String...) -> Widget {
    for name in classes { gtk_widget_add_css_class(self, name) }
    return self
  }

  /// Sets what a screen reader says.
  func described(as text: String) -> Widget {
    ssc_set_accessible_label(raw, text)
    return self
  }

  var isShown: Bool {
    get { gtk_widget_get_visible(self) != 0 }
    nonmutating set { gtk_widget_set_visible(self, newValue ? 1 : 0) }
  }

  /// Sets the same margin on all sides.
  func padded(_ margin: Int32) -> Widget {
    gtk_widget_set_margin_top(self, margin)
    gtk_widget_set_margin_bottom(self, margin)
    gtk_widget_set_margin_start(self, margin)
    gtk_widget_set_margin_end(self, margin)
    return self
  }
}

/// Makes a label of plain text that begins where lines begin and takes as many lines as it needs.
@MainActor
func makeLabel(_ text: String = "", isSelectable: Bool = false) -> Widget {
  let label: Widget = gtk_label_new(text)
  gtk_label_set_wrap(label.opaque, 1)
  gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
  gtk_label_set_xalign(label.opaque, 0)
  gtk_label_set_selectable(label.opaque, isSelectable ? 1 : 0)
  return label
}

@MainActor
func setText(_ text: String, of label: Widget) {
  gtk_label_set_text(label.opaque, text)
  label.isShown = !text.isEmpty
}

/// Makes a button.
///
/// - Parameters:
///   - title: Its label.
///   - speech: What a screen reader says, where the label alone does not tell what it is about.
@MainActor
func makeButton(_ title: String, speech: String? = nil, _ action: @escaping @MainActor () -> Void) -> Widget {
  let button: Widget = gtk_button_new_with_label(title)
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
  if let speech { ssc_set_accessible_label(button.raw, speech) }
  connect(signal: "clicked", of: button.raw, action)
  return button
}

@MainActor
func makeBox(_ orientation: GtkOrientation, spacing: Int32, _ children: [Widget] = []) -> Widget {
  let box: Widget = gtk_box_new(orientation, spacing)
  for child in children { gtk_box_append(box.cast(), child) }
  return box
}

/// Makes a row with a title, a text below it, and a widget at its end; both texts are plain.
@MainActor
func makeRow(_ title: String, _ subtitle: String, end: Widget? = nil) -> Widget {
  let row: Widget = adw_action_row_new()
  setTexts(title, subtitle, of: row)
  if let end { adw_action_row_add_suffix(row.cast(), end) }
  return row
}

/// Sets the texts of an action row.
@MainActor
func setTexts(_ title: String, _ subtitle: String, of row: Widget) {
  // Before the texts, which are markup otherwise.
  adw_preferences_row_set_use_markup(row.cast(), 0)
  adw_preferences_row_set_title(row.cast(), title)
  adw_action_row_set_subtitle(row.cast(), subtitle)
}

/// Makes a page that scrolls, of a width that is easy to read.
@MainActor
func makePage(_ content: Widget) -> Widget {
  let clamp: Widget = adw_clamp_new()
  adw_clamp_set_maximum_size(clamp.opaque, 640)
  adw_clamp_set_child(clamp.opaque, content.padded(12))
  let page: Widget = gtk_scrolled_window_new()
  gtk_scrolled_window_set_policy(page.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
  gtk_scrolled_window_set_child(page.opaque, clamp)
  gtk_widget_set_vexpand(page, 1)
  return page
}

/// Makes a page for a state without a list.
@MainActor
func makeStatusPage(icon: String, title: String, _ children: [Widget]) -> Widget {
  let page: Widget = adw_status_page_new()
  adw_status_page_set_icon_name(page.opaque, icon)
  adw_status_page_set_title(page.opaque, title)
  let box = makeBox(GTK_ORIENTATION_VERTICAL, spacing: 18, children)
  gtk_widget_set_halign(box, GTK_ALIGN_CENTER)
  adw_status_page_set_child(page.opaque, box)
  gtk_widget_set_vexpand(page, 1)
  return page
}
