// SPDX-License-Identifier: MIT

import ArgumentParser
import Dispatch
import Glibc
import HeadlessSession
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The command `sso-cache group unlock`.
struct GroupUnlock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Open a group, or the keyring and every group.",
    discussion: """
      Without a group, the login keyring and every group that is known are opened. Where no display answers, as over SSH, \
      --prompt asks on the terminal for the password of gnome-keyring's login keyring, which it makes where there is \
      none; then for that of another locked keyring with passwords that groups need, such as a backup of the login \
      keyring beside it; and, with a group, for that of the group's own.

      Examples:
        sso-cache group unlock --prompt
        sso-cache group unlock --group com.contoso.shared --prompt
      """)

  @OptionGroup var options: GroupOptions
  @OptionGroup var prompts: PromptOptions

  /// Asks on the terminal for the passwords of the keyrings that are locked, where no dialog could be seen.
  ///
  /// It must run while the process has a single thread: see ``SignalReceiver``.
  func openOnTerminal() throws {
    guard prompts.prompt, !SessionDisplay.answers(), isatty(STDIN_FILENO) == 1 else { return }
    let signals = SignalReceiver()
    defer { signals.close() }
    let store = SecretStore()
    let group = isForOneGroup ? try options.open().group : nil
    var refused: [LockedKeyring] = []
    while let keyring = try Self.result(of: { [refused] in
      try await store.lockedKeyring(neededBy: group, except: refused)
    }) {
      let password = try SecretInput.readPassword(of: keyring, signals)
      do {
        try Self.result(of: { try await store.open(keyring, password: password) })
      } catch let error as SecretStoreError
        where error.code == .groupLocked && group == nil && !keyring.isLogin
      {
        // Other groups open without it. Those that need it are reported at the end.
        Printer.error("sso-cache: \(error.detail)\n")
        refused.append(keyring)
      }
    }
  }

  /// Waits for the result of a call without a suspension.
  ///
  /// After one, other threads go on, and the main thread takes every signal: the terminal would stay without echo.
  private static func result<Output: Sendable>(
    of call: @escaping @Sendable () async throws -> Output
  ) throws -> Output {
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked<Result<Output, any Error>>(.failure(CancellationError()))
    Task.detached {
      do {
        let output = try await call()
        outcome.withLock { $0 = .success(output) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    return try outcome.withLock { $0 }.get()
  }

  private var isForOneGroup: Bool {
    options.group != nil || options.publisher != nil || options.entitlements != nil
  }

  func run() async throws {
    guard isForOneGroup else { return try await unlockAll() }
    let group = try options.open().group
    let existed = try await SecretStore().unlockGroup(group, promptPolicy: prompts.promptPolicy)
    options.report(
      "unlocked", existed, existed ? "The group is open." : "There is no such group; nothing to do.")
  }

  private func unlockAll() async throws {
    let store = SecretStore()
    try await store.unlockKeyring(promptPolicy: prompts.promptPolicy)
    let groups = try await store.groups().compactMap(\.group)
    var failures: [(group: AccessGroup, error: SecretStoreError)] = []
    for group in groups {
      do {
        try await FurtherWaits.run(after: failures.map(\.error)) {
          try await store.unlockGroup(group, promptPolicy: prompts.promptPolicy)
        }
      } catch let error as SecretStoreError {
        failures.append((group, error))
      }
    }
    if let first = failures.first {
      Invocation.group = failures.count == 1 ? first.group : nil
      Invocation.concernsSeveralGroups = failures.count > 1
      throw SecretStoreError(
        first.error.code, failures.map(\.error.detail).joined(separator: " "),
        underlying: first.error.underlying)
    }
    if let locked = try await store.groups().first(where: \.isLocked) {
      throw SecretStoreError(
        .groupLocked,
        "The collection \(locked.collection) is still locked, and which group it has is not known.",
        underlying: UnknownGroup())
    }
    let what = groups.isEmpty ? "The keyring is open." : "The keyring is open, and so is every group."
    options.report("unlocked", true, what)
  }

  /// A collection of an unknown group that stays locked: to unlock every known group again does not open it.
  private struct UnknownGroup: ErrorWithRemedy {
    let remedy = "sso-cache doctor says what opens it."
  }
}
