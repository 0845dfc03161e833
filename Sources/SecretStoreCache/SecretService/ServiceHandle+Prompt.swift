// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension ServiceHandle {
  private static let promptInterface = "org.freedesktop.Secret.Prompt"

  /// Runs a prompt until it completes.
  ///
  /// - Parameters:
  ///   - window: The parent window of the dialog; empty for none.
  ///   - limit: The timeout. The call's deadline applies when it is earlier.
  /// - Throws: `timedOut` when the prompt is still open. `CancellationError` when the task is cancelled. In both
  ///   cases the prompt is not dismissed, since that aborts gnome-keyring when it is a prompt to unlock.
  ///   `serviceUnavailable` when the daemon ends meanwhile, for example because of another program.
  func run(prompt: ObjectPath, window: String = "", limit: Duration) async throws -> PromptOutcome {
    let completed = TypedCall<PromptOutcome> { _ in .refused(nil) }
    // Subscribe before the prompt runs, so that its completion can't be missed.
    let listening = await onGLibThread { [self] in listen(to: prompt, completed) }
    defer { withExtendedLifetime(listening) {} }
    try await call(
      .cancellable, path: prompt, interface: Self.promptInterface, method: "Prompt",
      arguments: { [try .string(window)] }, reply: "()", read: { _ in })
    return try await withTaskCancellationHandler {
      try await completed.wait(limit: min(limit, Deadline.remaining))
    } onCancel: {
      completed.abandon(CancellationError())
    }
  }

  /// Dismisses a prompt.
  func dismiss(prompt: ObjectPath) async throws {
    try await call(
      .waited, path: prompt, interface: Self.promptInterface, method: "Dismiss", arguments: { [] },
      reply: "()", read: { _ in })
  }

  /// Subscribes to the completion of a prompt, and to the end of the daemon and of the bus, which don't signal it.
  private func listen(to prompt: ObjectPath, _ completed: TypedCall<PromptOutcome>) -> BusListening {
    let filter = BusSubscription.Filter(
      sender: owner, interface: Self.promptInterface, member: "Completed", path: prompt.text)
    let ended: @Sendable () -> Void = {
      completed.end(
        with: .failure(
          SecretStoreError(.serviceUnavailable, "The Secret Service ended while its dialog was open.")))
    }
    return unsafe BusListening(
      [
        BusSubscription(filter, on: bus) { reply in completed.end(with: Result { try PromptOutcome(reply) })
        },
        BusSubscription(Self.ownerChanges, on: bus) { _ in ended() },
      ], ConnectionCloseObserver(of: bus, ended))
  }
}

/// The outcome of a Secret Service prompt.
enum PromptOutcome: Sendable, Hashable {
  /// The prompt completed. The path names the item or collection that was created, if any.
  case done(ObjectPath?)
  /// The user or the provider refused. The path names an item that the provider may have created incompletely.
  case refused(ObjectPath?)

  /// Reads the arguments of `Completed`; some prompts have a result that is not a path.
  fileprivate init(_ reply: Reply) throws {
    guard reply.isOfType("(bv)"), let isDismissed = reply.bool(at: 0) else { throw BusError.malformed }
    let path = reply.unwrapped(at: 1) { $0.path }
    self = isDismissed ? .refused(path == ObjectPath.none ? nil : path) : .done(path)
  }
}
