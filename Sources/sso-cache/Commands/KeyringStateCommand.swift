// SPDX-License-Identifier: MIT

import ArgumentParser
import SecretStoreCache

/// Says by its status whether the login keyring is open, for `sso-cache run`, which waits for that.
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
        throw ExitCode(state.rawValue)
      } catch let error as SecretStoreError where error.code == .serviceUnavailable {
        // The daemon is still starting; whoever started this one ends it.
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}
