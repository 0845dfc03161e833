// SPDX-License-Identifier: MIT

import AccountsModel
import CAdwaita
import SecretStoreAgent
import SecretStoreCache

/// What the pages' buttons do: first they ask, where something is removed.
@MainActor
struct Actions {
  let controller: AccountsController
  let dialogs: Dialogs
  let window: Widget
  let stack: Widget

  /// The window as the Secret Service knows it, so that its dialog belongs to this window; empty on Wayland.
  private var windowHandle: String {
    let number = ssc_x11_window(window.raw)
    return number == 0 ? "" : "\(number)"
  }

  func signOut(_ item: AccountItem, of scope: Question.Scope) {
    dialogs.ask(.signOut(item, of: scope)) { controller.signOut(item, of: scope) }
  }

  func open(_ group: AccessGroup) { controller.open(group, window: windowHandle) }
  func lock(_ group: AccessGroup) { controller.lock(group) }
  func openKeyring() { controller.openKeyring(window: windowHandle) }

  func reset(_ group: AccessGroup) {
    Task {
      guard let removal = await controller.removal(of: group) else { return }
      dialogs.ask(.reset(group, removal)) { controller.reset(group, window: windowHandle) }
    }
  }

  func revoke(_ grant: InstalledApps.Grant) {
    dialogs.ask(.revoke(grant)) { controller.revoke(grant) }
  }

  func carryOut(_ remedy: DoctorCheck.Remedy) {
    switch remedy {
    case .repair(let repair): dialogs.ask(.repair(repair)) { controller.perform(repair) }
    case .open(let group): open(group)
    case .openKeyring: openKeyring()
    case .reset(let group): reset(group)
    }
  }

  func showProblems() { adw_view_stack_set_visible_child_name(stack.opaque, "problems") }
}
