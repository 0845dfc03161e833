// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

extension ServiceHandle {
  private static let promptInterface = "org.freedesktop.Secret.Prompt"

  /// Runs a prompt to its end.
  ///
  /// - Parameters:
  ///   - window: The window that a dialog belongs to; empty for none.
  ///   - limit: How long that may take; what is left of the call's deadline when that is less.
  /// - Throws: `timedOut` when it is open still, `CancellationError` when the task is cancelled. It is not dismissed:
  ///   that aborts gnome-keyring when it is a prompt to unlock. `serviceUnavailable` when the daemon ends meanwhile,
  ///   because another program did.
  func run(prompt: ObjectPath, window: String = "", limit: Duration) async throws -> PromptOutcome {
    let completed = TypedCall<PromptOutcome> { _ in .refused(nil) }
    // Before the prompt is run, so that its end can't be missed.
    let listening = await onGLibThread { [self] in listen(to: prompt, completed) }
    defer { withExtendedLifetime(listening) {} }
    try await call(
      .cancellable, path: prompt, interface: Self.promptInterface, method: "Prompt",
      arguments: { [.string(window)] }, reply: "()", read: { _ in })
    return try await withTaskCancellationHandler {
      try await completed.wait(limit: min(limit, Deadline.remaining))
    } onCancel: {
      completed.abandon(CancellationError())
    }
  }

  /// Tells the service that a prompt is not wanted.
  func dismiss(prompt: ObjectPath) async throws {
    try await call(
      .waited, path: prompt, interface: Self.promptInterface, method: "Dismiss", arguments: { [] },
      reply: "()", read: { _ in })
  }

  /// A daemon that ends takes its prompts along without a word, and so does a bus that is lost.
  private func listen(to prompt: ObjectPath, _ completed: TypedCall<PromptOutcome>) -> BusListening {
    let filter = BusSubscription.Filter(
      sender: Self.busName, interface: Self.promptInterface, member: "Completed", path: prompt.text)
    let ended: @Sendable () -> Void = {
      completed.end(
        with: .failure(
          SecretStoreError(.serviceUnavailable, "The Secret Service ended while its dialog was open.")))
    }
    return unsafe BusListening(
      [
        BusSubscription(filter, on: bus) { completed.end(with: .success(PromptOutcome($0))) },
        BusSubscription(Self.ownerChanges, on: bus) { _ in ended() },
      ], BusClosure(of: bus, ended))
  }
}

extension PromptOutcome {
  /// Reads what `Completed` says.
  fileprivate init(_ reply: Reply) {
    let path = reply.unwrapped(at: 1) { $0.text }.map(ObjectPath.init)
    self = reply.truth(at: 0) == false ? .done(path) : .refused(path == ObjectPath.none ? nil : path)
  }
}
