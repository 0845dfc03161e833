// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import GTKMainActor

/// The window: three pages over one model.
@MainActor
final class AccountsWindow {
  private let window: Widget
  private let stack: Widget
  private let controller = AccountsController()
  private let accounts: AccountsPage
  private let apps: AppsPage
  private let problems: ProblemsPage
  private var isDrawing = false

  init(app: UnsafeMutablePointer<AdwApplication>) {
    window = adw_application_window_new(
      UnsafeMutableRawPointer(app).assumingMemoryBound(to: GtkApplication.self))
    gtk_window_set_title(window.cast(), "Accounts")
    gtk_window_set_default_size(window.cast(), 640, 720)
    gtk_window_set_icon_name(window.cast(), "org.secretstorecache.Accounts")
    gtk_widget_set_size_request(window, 360, 294)
    stack = adw_view_stack_new()
    let toasts: Widget = adw_toast_overlay_new()
    let actions = Actions(
      controller: controller, dialogs: Dialogs(window: window, toasts: toasts), window: window, stack: stack)
    accounts = AccountsPage(actions)
    apps = AppsPage(actions)
    problems = ProblemsPage(actions)
    addPage(accounts.widget, "accounts", "Accounts", icon: "system-users-symbolic")
    addPage(apps.widget, "apps", "Apps", icon: "application-x-executable-symbolic")
    addPage(problems.widget, "problems", "Problems", icon: "dialog-warning-symbolic")
    adw_toast_overlay_set_child(toasts.opaque, stack)
    adw_application_window_set_content(window.cast(), makeContent(toasts))
    addShortcuts()
    connect(signal: "notify::visible-child", of: stack.raw) { [weak self] in self?.pageChanged() }
    connect(signal: "destroy", of: window.raw) { [controller] in controller.stop() }
    controller.onChange = { [weak self] in self?.drawSoon() }
    controller.onFailure = { actions.dialogs.show($0) }
    controller.onDone = { actions.dialogs.say($0) }
    draw()
    pageChanged()
    controller.start()
  }

  func present() { gtk_window_present(window.cast()) }

  private func addPage(_ page: Widget, _ name: String, _ title: String, icon: String) {
    // The stack shows pages that are hidden to screen readers: a page stays, and what is in it comes and goes.
    let bin: Widget = adw_bin_new()
    adw_bin_set_child(bin.cast(), page)
    adw_view_stack_add_titled_with_icon(stack.opaque, bin, name, title, icon)
  }

  /// The header, the pages, and in a narrow window the switch of pages at the bottom.
  private func makeContent(_ pages: Widget) -> Widget {
    let title: Widget = adw_view_switcher_title_new()
    adw_view_switcher_title_set_stack(title.opaque, stack.opaque)
    adw_view_switcher_title_set_title(title.opaque, "Accounts")
    let header: Widget = adw_header_bar_new()
    adw_header_bar_set_centering_policy(header.opaque, ADW_CENTERING_POLICY_STRICT)
    adw_header_bar_set_title_widget(header.opaque, title)
    let bar: Widget = adw_view_switcher_bar_new()
    adw_view_switcher_bar_set_stack(bar.opaque, stack.opaque)
    for property in ["reveal", "visible"] {
      g_object_bind_property(title.raw, "title-visible", bar.raw, property, G_BINDING_SYNC_CREATE)
    }
    gtk_widget_set_vexpand(pages, 1)
    return makeBox(GTK_ORIENTATION_VERTICAL, spacing: 0, [header, pages, bar])
  }

  /// Control-Q and Control-W close the window, and F5 checks again.
  private func addShortcuts() {
    let check: OpaquePointer = g_simple_action_new("check", nil)
    connect(signal: "activate", of: check) { [controller] in
      controller.readApps()
      controller.diagnose()
    }
    g_action_map_add_action(window.opaque, check)
    g_object_unref(UnsafeMutableRawPointer(check))
    let shortcuts: OpaquePointer = gtk_shortcut_controller_new()
    for (keys, action) in [
      ("<Control>q", "window.close"), ("<Control>w", "window.close"), ("F5", "win.check"),
    ] {
      gtk_shortcut_controller_add_shortcut(
        shortcuts, gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys), gtk_named_action_new(action)))
    }
    gtk_widget_add_controller(window, shortcuts)
  }

  /// Shows one page alone.
  ///
  /// Doctor runs when its page is shown for the first time, and the apps' files are read when theirs is.
  private func pageChanged() {
    let name = adw_view_stack_get_visible_child_name(stack.opaque).map { String(cString: $0) }
    accounts.widget.isShown = name == "accounts"
    apps.widget.isShown = name == "apps"
    problems.widget.isShown = name == "problems"
    if name == "apps" { controller.readApps() }
    if name == "problems", controller.state.checks == nil { controller.diagnose() }
  }

  /// Draws once for all changes of the same moment.
  private func drawSoon() {
    if isDrawing { return }
    isDrawing = true
    Task { draw() }
  }

  private func draw() {
    isDrawing = false
    accounts.show(controller.state)
    apps.show(controller.state)
    problems.show(controller.state)
  }
}
