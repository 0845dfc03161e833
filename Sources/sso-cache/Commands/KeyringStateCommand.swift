// SPDX-License-Identifier: MIT

import ArgumentParser
import HeadlessSession
import SecretStoreCache

/// The hidden command that reports by its exit status whether the login keyring is open.
///
/// `sso-cache run` starts it and waits for it.
struct KeyringStateCommand: AsyncParsableCommand {
  static let name = "keyring-state"

  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Say by the exit status whether the login keyring is open.",
    shouldDisplay: false)

  func run() async throws {
    let store = SecretStore()
    while true {
      do {
        let isLocked = try await store.isLoginKeyringLocked()
        let state: KeyringState = isLocked.map { $0 ? .locked : .open } ?? .absent
        throw ExitCode(state.exitStatus)
      } catch let error as SecretStoreError where [.serviceUnavailable, .timedOut].contains(error.code) {
        // The daemon is still starting, or slow. The parent process ends this process at its own deadline.
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}
