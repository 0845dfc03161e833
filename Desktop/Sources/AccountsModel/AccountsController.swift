// SPDX-License-Identifier: MIT

import ADALCache
package import SecretStoreAgent
package import SecretStoreCache
package import SecretStoreDiagnosis

/// Follows the groups of the session and carries out what the person asks for.
///
/// The window shows ``state`` whenever it has changed. Nothing opens a dialog unless the person has asked for it.
@MainActor
package final class AccountsController {
  package private(set) var state = AccountsState() { didSet { if state != oldValue { onChange() } } }
  /// Called when the state has changed.
  package var onChange: @MainActor () -> Void = {}
  /// Called when something that the person asked for has failed.
  package var onFailure: @MainActor (Failure) -> Void = { _ in }
  /// Called with a sentence when something that the person asked for is done.
  package var onDone: @MainActor (String) -> Void = { _ in }

  private let store: SecretStore
  private let apps = InstalledApps()
  private var listing: Task<Void, Never>?
  private var feeds: [AccessGroup: Task<Void, Never>] = [:]
  private var jobs: [AccountsState.Job: Task<Void, Never>] = [:]

  package init() {
    var options = SecretStoreOptions()
    // The window acts for the person, and for every app.
    options.checksIdentity = false
    options.transport = .secretService
    store = SecretStore(options: options)
  }

  // MARK: - Following

  /// Starts to follow the groups; call it once.
  package func start() {
    listing = Task { [store, weak self] in
      // First the apps, whose groups and names the list needs.
      await self?.readApps().value
      for await list in store.groupLists() { self?.update(groups: list) }
    }
  }

  /// Ends everything, as when the window is closed.
  package func stop() {
    listing?.cancel()
    for task in Array(feeds.values) + Array(jobs.values) { task.cancel() }
    feeds = [:]
  }

  /// Reads the apps' files and the grants, which no signal tells of.
  @discardableResult
  package func readApps() -> Task<Void, Never> {
    Task { [apps] in
      let found = await Self.read(apps)
      state.update(apps: found.apps, grants: found.grants, problems: found.problems)
    }
  }

  @concurrent
  private nonisolated static func read(
    _ apps: InstalledApps
  ) async -> (
    apps: [InstalledApps.App], grants: [InstalledApps.Grant], problems: [InstalledApps.Grant.Problem]
  ) {
    (apps.apps(), apps.grants(), apps.grantProblems())
  }

  private func update(groups list: Result<[GroupSummary], SecretStoreError>) {
    state.update(groups: list)
    guard case .success = list else { return }
    let groups = Set(state.groups.compactMap(\.group))
    for (group, feed) in feeds where !groups.contains(group) {
      feed.cancel()
      feeds[group] = nil
    }
    for group in groups where feeds[group] == nil {
      let directory = directory(of: group)
      feeds[group] = Task { [weak self] in
        await Self.follow(directory) { self?.state.apply($0, to: group) }
      }
    }
  }

  /// Follows a group's changes away from the main thread, which draws.
  @concurrent
  private nonisolated static func follow(
    _ directory: AccountDirectory, _ apply: @MainActor @Sendable (GroupChange) -> Void
  ) async {
    for await change in directory.changes() { await apply(change) }
  }

  private func directory(of group: AccessGroup) -> AccountDirectory {
    AccountDirectory(backend: store.backend(for: group), sharesWithADAL: true)
  }

  // MARK: - What the person asks for

  /// Signs an account out of one app, of one client, or of everything.
  package func signOut(_ item: AccountItem, of scope: Question.Scope) {
    let (account, group) = (item.id.account, item.id.group)
    let (store, directory) = (store, directory(of: group))
    begin(.account(item.id), done: "Signed out: \(item.title.inSentence).") {
      switch scope {
      case .everywhere:
        try await directory.signOut(account)
        try await store.completeSignOut(of: account, in: group)
      case .client(let clientID):
        try await directory.signOut(account, clientID: clientID)
        try await store.completeSignOut(of: account, clientID: clientID, in: group)
      case .app(let app, let clientID):
        var options = TokenCacheOptions()
        options.sharesWithADAL = true
        // The account's own environment says where it is; the authority only completes the cache.
        let authority = try Authority("https://login.microsoftonline.com/common")
        try await TokenCache(
          backend: store.backend(for: group), app: app.identifier, clientID: clientID, authority: authority,
          options: options
        ).signOut(account)
      }
    }
  }

  /// Opens a group, by the desktop's own dialog if that is needed.
  ///
  /// - Parameter window: The window that a dialog belongs to.
  package func open(_ group: AccessGroup, window: String) {
    begin(.group(group), done: "The group is open.") { [store] in
      try await store.unlockGroup(group, promptPolicy: Self.dialog(of: window))
    }
  }

  /// Opens or makes the keyring that groups need.
  package func openKeyring(window: String) {
    begin(.keyring, done: "The keyring is open.") { [store] in
      try await store.unlockKeyring(promptPolicy: Self.dialog(of: window))
    }
  }

  /// Locks a group.
  package func lock(_ group: AccessGroup) {
    begin(.group(group), done: "The group is locked.") { [store] in try await store.lockGroup(group) }
  }

  /// Makes a group anew that nothing can open.
  package func reset(_ group: AccessGroup, window: String) {
    begin(.group(group), done: "The group was reset. Sign in again where an account is missing.") { [store] in
      try await store.resetGroup(group, promptPolicy: Self.dialog(of: window))
    }
  }

  /// Returns what a reset removes; `nil` after a failure, which is reported.
  package func removal(of group: AccessGroup) async -> GroupSummary.Removal? {
    do {
      return try await store.removal(of: group)
    } catch {
      report(error)
      return nil
    }
  }

  /// Checks everything that silent sign-in needs.
  package func diagnose() {
    begin(.diagnosis, done: nil) { [store, weak self] in
      let diagnosis = await store.diagnose()
      try Task.checkCancellation()
      await self?.take(diagnosis)
    }
  }

  private func take(_ diagnosis: Diagnosis) { state.update(diagnosis: diagnosis) }

  /// Makes a repair that loses no data.
  package func perform(_ repair: Diagnosis.Repair) {
    begin(.repair(repair), done: "Repaired.") { [store] in
      try await store.perform(repair)
    }
  }

  /// Takes back a grant of the user.
  package func revoke(_ grant: InstalledApps.Grant) {
    begin(.grant(grant), done: "\(grant.app.name.inSentence) may no longer use the group by a grant.") {
      [apps, weak self] in
      try await apps.revoke(grant)
      await self?.readApps()
    }
  }

  /// Cancels what is being done.
  package func cancel(_ job: AccountsState.Job) { jobs[job]?.cancel() }

  private nonisolated static func dialog(of window: String) -> PromptPolicy {
    .allowed(parentWindow: window, timeLimit: .seconds(300), again: true)
  }

  /// Runs what was asked for, away from the main thread; the same is never run twice at once.
  private func begin(
    _ job: AccountsState.Job, done sentence: String?,
    _ body: @escaping @Sendable @concurrent () async throws -> Void
  ) {
    guard jobs[job] == nil else { return }
    state.begin(job)
    jobs[job] = Task {
      do {
        try await body()
        if let sentence { onDone(sentence) }
        if state.checks != nil, job.mayMend { diagnose() }
      } catch {
        report(error)
      }
      jobs[job] = nil
      state.end(job)
    }
  }

  /// Reports a failure; a cancelled call is what the person wanted.
  private func report(_ error: any Error) {
    if error is CancellationError { return }
    let known = error as? SecretStoreError
    onFailure(Failure(known ?? SecretStoreError(.storageFailed, "It failed for an unknown reason.")))
  }
}
