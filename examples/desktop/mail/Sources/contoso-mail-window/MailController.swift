// SPDX-License-Identifier: MIT

import CAdwaita
import ContosoIdentity
import GTKMainActor
import MailModel
import SecretStoreCache

/// Does what the state asks for, and shows what comes of it.
@MainActor
final class MailController {
  let window: MailWindow
  private let application: Part
  private var client: PublicClient?
  private var state = MailState()
  private var signInTask: Task<Void, Never>?

  init(application: Part) {
    self.application = application
    window = MailWindow(application: application)
    window.controller = self
  }

  /// Follows the group from now on.
  ///
  /// The window opens with the first page, so that nothing flickers. If that takes longer than a person notices, it
  /// opens without one.
  func start() {
    do throws(SecretStoreError) {
      let client = try MailApp.client { [weak self] _ in Task { @MainActor in self?.tellOfStray() } }
      self.client = client
      Task { @concurrent in
        for await change in client.changes() { await take(change) }
      }
    } catch {
      apply {
        $0.notSetUp(Explanation.ofSetUp(error))
        return []
      }
    }
    let monitor: OpaquePointer = g_network_monitor_get_default()
    connect(signal: "network-changed", of: monitor) { [unowned self] in
      if g_network_monitor_get_network_available(monitor) != 0 { apply { $0.networkCameBack() } }
    }
    Task {
      try? await Task.sleep(for: .milliseconds(400))
      if !window.isPresented { window.present() }
    }
  }

  private func take(_ change: GroupChange) { apply { $0.take(change) } }

  /// Runs a call of the library away from the main thread, where a large group would stop the window.
  @concurrent
  private nonisolated func away<Value: Sendable>(
    _ call: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await call()
  }

  /// Changes the state, shows its page and does what it asks for.
  private func apply(_ change: (inout MailState) -> [MailState.Effect]) {
    let effects = change(&state)
    window.show(state.page)
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: MailState.Effect) {
    guard let client else { return }
    switch effect {
    case .tell(let text): window.tell(text)
    case .fetch(let account):
      Task {
        do {
          let info = try await away {
            try await client.userInfo(scopes: MailApp.scopes, account: account)
          }
          apply {
            $0.fetched(Message.inbox(name: info.name, address: info.email, of: Person(account)), of: account)
            return []
          }
        } catch {
          apply { $0.fetchFailed(error, of: account) }
        }
      }
    case .list:
      Task {
        do {
          let accounts = try await away { try await client.accounts() }
          apply { $0.listed(accounts) }
        } catch {
          apply { $0.opened(.failure(error)) }
        }
      }
    case .openSilently: open { [self] in _ = try await away { try await client.accounts() } }
    case .diagnose(let problem):
      Task {
        let remedy = try? await away { await client.remedy(for: problem) }
        apply {
          $0.diagnosed(remedy)
          return []
        }
      }
    }
  }

  private func open(_ body: @escaping @MainActor () async throws -> Void) {
    Task {
      do {
        try await body()
        apply { $0.opened(.success(())) }
      } catch {
        apply { $0.opened(.failure(error)) }
      }
    }
  }
}

/// What the user does.
extension MailController {
  func signIn() {
    guard let client, state.beginSignIn() else { return }
    apply { _ in [] }
    signInTask = Task {
      do {
        let result = try await away { try await client.signIn(scopes: MailApp.scopes) }
        apply { $0.signedIn(result.account) }
        window.present()
      } catch is CancellationError {
        apply { $0.signInFailed(nil) }
      } catch {
        apply { $0.signInFailed(Explanation.of(error)) }
        window.present()
      }
      signInTask = nil
    }
  }

  func cancelSignIn() { signInTask?.cancel() }

  /// Opens the group with the desktop's own dialog, which belongs to the window.
  func openGroup() {
    guard let client, state.beginOpening() else { return }
    apply { _ in [] }
    let handle = window.handle
    open { [self] in try await away { try await client.openGroup(parentWindow: handle) } }
  }

  func select(_ id: Person.ID) { apply { $0.select(id) } }

  func retry() { apply { $0.retry() } }

  /// Signs out of the selected account.
  ///
  /// The program does not end before the sign-out does, even if the window is closed.
  func signOut(ofAllApps: Bool) {
    guard let client, let account = state.selected else { return }
    state.beginSignOut(account)
    g_application_hold(application.as(GApplication.self))
    Task {
      do {
        try await away {
          try await ofAllApps ? client.signOutOfAllApps(account) : client.signOut(account)
        }
        apply { $0.endSignOut(account) }
      } catch {
        apply { $0.endSignOut(account, failure: Explanation.of(error)) }
      }
      g_application_release(application.as(GApplication.self))
    }
  }

  private func tellOfStray() {
    window.tell("A link was opened that is no answer to this sign-in. It was ignored.")
  }
}
