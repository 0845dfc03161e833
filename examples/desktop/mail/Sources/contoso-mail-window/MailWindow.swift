// SPDX-License-Identifier: MIT

import CAdwaita
import GTKMainActor
import MailModel

/// The window, which shows a page of the state.
@MainActor
final class MailWindow {
  weak var controller: MailController?
  private let parts = Parts(PackageResources.Window_ui)
  private let window: Part
  private let lists: Lists
  private var page: MailState.Page?
  private(set) var isPresented = false
  private var isClosed = false
  private var toast: Part?

  init(application: Part) {
    window = parts["window"]
    lists = Lists(parts)
    window.set("application", application)
    connect(signal: "destroy", of: window.pointer) { [weak self] in self?.isClosed = true }
    connect(signal: "clicked", of: parts["act"].pointer) { [weak self] in self?.act() }
    connect(signal: "clicked", of: parts["mend"].pointer) { [weak self] in self?.mend() }
    connect(signal: "clicked", of: parts["add-account"].pointer) { [weak self] in
      self?.closeMenu()
      self?.controller?.signIn()
    }
    connect(signal: "clicked", of: parts["sign-out"].pointer) { [weak self] in self?.askForSignOut() }
    gtk_window_set_default_widget(window.as(GtkWindow.self), parts["act"].as(GtkWidget.self))
    addAction("retry", keys: ["F5", "<Control>r"], to: application) { [weak self] in
      self?.controller?.retry()
    }
    setKeys(["<Control>w", "<Control>q"], of: "window.close", in: application)
  }

  /// The window as the desktop's dialogs know it: its number on X11, and nothing elsewhere.
  var handle: String {
    let number = isClosed ? 0 : ssc_x11_window(window.pointer)
    return number == 0 ? "" : String(number)
  }

  /// Opens the window, or brings it to the front.
  func present() {
    if isClosed { return }
    isPresented = true
    parts["starting"].set("spinning", page == nil || page == .starting)
    gtk_window_present(window.as(GtkWindow.self))
  }

  /// Shows a text for a few seconds, in the place of one that is still shown.
  ///
  /// So other programs can't fill the window's time with toasts. (Dismissing one that goes already ends libadwaita 1.2.)
  func tell(_ text: String) {
    if isClosed { return }
    if let toast { return toast.setMarkup("title", text) }
    let new = Part(new: adw_toast_get_type())
    new.setMarkup("title", text)
    connect(signal: "dismissed", of: new.pointer) { [weak self] in self?.toast = nil }
    toast = new
    adw_toast_overlay_add_toast(parts["toasts"].opaque, new.opaque)
  }

  func show(_ page: MailState.Page) {
    if isClosed || page == self.page { return }
    self.page = page
    parts["starting"].set("spinning", page == .starting && isPresented)
    if case .inbox(let inbox) = page {
      show(inbox)
    } else {
      parts["switcher"].set("visible", false)
      parts["title"].set("subtitle", "")
      parts["banner"].set("visible", false)
    }
    if let status = Status(page) { show(status) }
    if page == .starting { showPage("starting") }
    // The first page opens the window.
    if page != .starting && !isPresented { present() }
  }

  private func showPage(_ name: String) {
    for each in ["starting", "status", "inbox"] { parts[each].set("visible", each == name) }
  }

  private func show(_ inbox: MailState.Inbox) {
    let selected = inbox.selected
    parts["title"].set("subtitle", "\(selected.name) · \(selected.tenant)")
    parts["avatar"].set("text", selected.name)
    parts["switcher"].set("visible", true)
    parts["switcher"].setAccessibleLabel("Accounts: \(selected.name), \(selected.detail)")
    lists.show(inbox.people, selected: selected) { [weak self] id in
      self?.closeMenu()
      self?.controller?.select(id)
    }
    lists.show(inbox.messages)
    let banner = Banner(inbox)
    if let banner {
      parts["notice"].set("label", banner.text)
      parts["mend"].set("label", banner.button)
    }
    parts["banner"].set("visible", banner != nil)
    showPage("inbox")
  }

  private func show(_ status: Status) {
    let part = parts["status"]
    part.set("icon-name", status.icon)
    part.set("title", status.title)
    part.setMarkup("description", status.text)
    parts["act"].set("label", status.button ?? "")
    parts["act"].set("visible", status.button != nil)
    parts["act"].set("sensitive", page != .locked(isOpening: true))
    showPage("status")
    if status.button != nil { gtk_widget_grab_focus(parts["act"].as(GtkWidget.self)) }
  }

  private func act() {
    switch page {
    case .signedOut: controller?.signIn()
    case .waitingForBrowser: controller?.cancelSignIn()
    case .locked: controller?.openGroup()
    case .unavailable: controller?.retry()
    default: break
    }
  }

  private func mend() {
    guard case .inbox(let inbox) = page else { return }
    if inbox.notice == .signInAgain { controller?.signIn() } else { controller?.retry() }
  }

  private func closeMenu() { gtk_popover_popdown(parts["accounts"].as(GtkPopover.self)) }

  private func askForSignOut() {
    guard case .inbox(let inbox) = page else { return }
    closeMenu()
    SignOutDialog.ask(about: inbox.selected, over: window) { [weak self] ofAllApps in
      self?.controller?.signOut(ofAllApps: ofAllApps)
    }
  }

  private func addAction(
    _ name: String, keys: [String], to application: Part, _ run: @escaping @MainActor () -> Void
  ) {
    let action: OpaquePointer = g_simple_action_new(name, nil)
    connect(signal: "activate", of: action, run)
    g_action_map_add_action(application.opaque, action)
    g_object_unref(UnsafeMutableRawPointer(action))
    setKeys(keys, of: "app.\(name)", in: application)
  }

  private func setKeys(_ keys: [String], of action: String, in application: Part) {
    var texts = keys.map { UnsafePointer(strdup($0)) } + [nil]
    gtk_application_set_accels_for_action(application.as(GtkApplication.self), action, &texts)
    texts.forEach { free(UnsafeMutableRawPointer(mutating: $0)) }
  }
}
