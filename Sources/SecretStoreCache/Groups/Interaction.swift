// SPDX-License-Identifier: MIT

/// Whether a call may let the Secret Service open a dialog.
///
/// Calls never do so unless they are told otherwise, and only those that make, open, lock or remove a group can be.
///
/// ```swift
/// try await store.unlockGroup(group, interaction: .allowed(parentWindow: handle, timeLimit: .seconds(120)))
/// ```
///
/// A dialog that a person has closed is remembered for the process: the same request is `promptDismissed` at once from
/// then on, so that an app does not nag. Ask `again` when the person has asked for it.
public struct Interaction: Sendable, Hashable {
  /// By when a person has to have answered; `nil` when there is no dialog.
  let timeLimit: Duration?
  /// The window that the dialog belongs to.
  let parentWindow: String
  /// Whether the dialog is shown although it was closed before.
  let again: Bool

  /// No dialog.
  ///
  /// What would need one is `groupLocked`.
  public static let never = Interaction(timeLimit: nil, parentWindow: "", again: false)

  /// A dialog, if there is no other way.
  ///
  /// - Parameters:
  ///   - parentWindow: The window that the dialog belongs to: on X11 its id in decimal digits, on Wayland the handle that
  ///     xdg-foreign exports; empty for none.
  ///   - timeLimit: By when a person has to have answered; `timedOut` then. The store's own `timeout` comes on top.
  ///   - again: Whether the dialog is shown although a person closed it before in this process.
  public static func allowed(
    parentWindow: String = "", timeLimit: Duration = .seconds(60), again: Bool = false
  ) -> Interaction {
    Interaction(timeLimit: timeLimit, parentWindow: parentWindow, again: again)
  }
}
