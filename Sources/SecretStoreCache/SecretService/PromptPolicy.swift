// SPDX-License-Identifier: MIT

/// Whether a call may let the Secret Service show a prompt.
///
/// No call prompts by default. Only calls that create, open, move, reset or remove a group, or open the keyring, can be
/// allowed to.
///
/// ```swift
/// try await store.unlockGroup(group, promptPolicy: .allowed(parentWindow: handle, timeLimit: .seconds(120)))
/// ```
///
/// A prompt that was dismissed although the process has no display, as over SSH, was not the user's doing: the call
/// throws `groupLocked`. There is none where no program accepts connections at what `DISPLAY` and `WAYLAND_DISPLAY` name,
/// as in a shell of a desktop session that has ended.
///
/// The process remembers a prompt that the user dismissed. The same request then ends in `promptDismissed` at once, so
/// that an app does not prompt repeatedly. Set `again` when the user has asked for the prompt.
public struct PromptPolicy: Sendable, Hashable {
  /// How long to wait for the user's answer; `nil` when no prompt is allowed.
  let timeLimit: Duration?
  /// The window that the prompt belongs to.
  let parentWindow: String
  /// Whether to show the prompt although the user dismissed it before.
  let again: Bool

  /// No prompt.
  ///
  /// A call that would need one throws `groupLocked`.
  public static let never = PromptPolicy(timeLimit: nil, parentWindow: "", again: false)

  /// Allows a prompt, if there is no other way.
  ///
  /// - Parameters:
  ///   - parentWindow: The window that the prompt belongs to: on X11 its id in decimal digits, on Wayland the handle
  ///     that xdg-foreign exports; empty for none.
  ///   - timeLimit: How long to wait for the user's answer before the call throws `timedOut`. It is added to the
  ///     store's own `timeout`.
  ///   - again: Whether to show the prompt although the user dismissed it before in this process.
  public static func allowed(
    parentWindow: String = "", timeLimit: Duration = .seconds(60), again: Bool = false
  ) -> PromptPolicy {
    PromptPolicy(timeLimit: timeLimit, parentWindow: parentWindow, again: again)
  }

  /// The policy for the rest of a call in which the user has dismissed a prompt.
  var afterDismissal: PromptPolicy {
    PromptPolicy(timeLimit: timeLimit, parentWindow: parentWindow, again: false)
  }
}
