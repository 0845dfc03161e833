// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import SecretStoreCache

/// Diagnosis and repair of failing silent sign-ins, for settings pages, reports and tools.
extension SecretStore {
  /// Checks everything that silent sign-in needs.
  ///
  /// The diagnosis unlocks groups as every call of an app does. It writes one test item that belongs to no group and
  /// deletes it. It changes nothing else and never shows a prompt. It also works without a session bus.
  ///
  /// Each check has a time limit of five seconds, or half of the store's `timeout` when that is less. Each check of a
  /// group has twice that. Checks that depend on a failed check are skipped, so the diagnosis also ends when the
  /// daemon hangs.
  ///
  /// - Parameters:
  ///   - groups: The groups to check; `nil` for the groups of `app`, or for all groups when there is none.
  ///   - app: The app whose groups to check; `nil` for none.
  public func diagnose(_ groups: [AccessGroup]? = nil, app: AppEntitlements? = nil) async -> Diagnosis {
    await diagnose(groups, app.map { (EntitlementsCheck.result(for: $0), $0) }, in: DiagnosticEnvironment())
  }

  /// Checks everything, and an app's entitlements property list, if there is one.
  ///
  /// - Parameters:
  ///   - groups: The groups to check; `nil` for the groups of `app`, or for all groups when there is none.
  ///   - app: The entitlements, or the error of their property list; `nil` for no property list.
  ///   - grantProblems: The problems of the files of grants.
  package func diagnose(
    _ groups: [AccessGroup]?, app: Result<AppEntitlements, SecretStoreError>?, grantProblems: [GrantProblem]
  ) async -> Diagnosis {
    var environment = DiagnosticEnvironment()
    environment.grantProblems = grantProblems
    return await diagnose(
      groups, app.map { (EntitlementsCheck.result(of: $0), try? $0.get()) }, in: environment)
  }

  private func diagnose(
    _ groups: [AccessGroup]?, _ entitlements: (result: CheckResult, app: AppEntitlements?)?,
    in environment: DiagnosticEnvironment
  ) async -> Diagnosis {
    var run = DiagnosticRun(
      client: client, environment: environment, limit: min(options.timeout / 2, .seconds(5)))
    var wanted = groups
    if wanted == nil { wanted = entitlements?.app.map { $0.groups.isEmpty ? [$0.ownGroup] : $0.groups } }
    if let sandbox = environment.sandbox,
      await usesAgent(in: sandbox, FlatpakMetadata(root: environment.root))
    {
      if let entitlements { run.add(EntitlementsCheck.name, entitlements.result) }
      await run.checkAgent(wanted ?? [], in: sandbox) { agentBackend(for: $0) }
      return Diagnosis(checks: run.checks)
    }
    await run.checkProvider()
    if let entitlements { run.add(EntitlementsCheck.name, entitlements.result) }
    let installed = InstalledApps(environment: environment.variables, root: environment.root)
    let apps = installed.catalog().manifests.filter(\.declaresSharing)
    let looksForAll = wanted == nil
    if wanted == nil {
      wanted = await run.findGroups(Set(apps.compactMap { $0.entitlements?.publisher }))
    }
    let all = wanted ?? []
    await run.checkCollections(all)
    for group in all { await run.checkGroup(group, backend: unrestrictedBackend(for: group)) }
    run.checkMachine(
      apps, closedFolders: installed.closedFolders, handlers: installed.schemeHandlers(),
      groups: looksForAll ? all : nil)
    return Diagnosis(checks: run.checks)
  }

  /// Returns whether an app's calls go to the agent: it may talk to the agent, and there is one, or no other way.
  private func usesAgent(in sandbox: DiagnosticEnvironment.Sandbox, _ metadata: FlatpakMetadata) async -> Bool
  {
    guard options.transport != .secretService, metadata.namesAgent else { return false }
    guard metadata.mayTalkToSecretService, let own = try? AccessGroup(sandbox.name) else { return true }
    return (try? await agentBackend(for: own).isReachable()) ?? true
  }

  /// Makes a repair that loses no data.
  ///
  /// - Parameters:
  ///   - repair: One of the repairs of a diagnosis.
  ///   - progress: Receives the number of records that are done, and of those that were found so far, from a repair
  ///     that changes records.
  /// - Throws: The errors of calls on groups, such as `groupLocked`, `storageFailed`, or `timedOut` when no record
  ///   gets done for a minute. Nothing is lost then, nor after a cancellation, and the repair can be repeated.
  ///   `storageFailed` also when the login keyring's file was replaced, as by a backup, and the daemon has not read it.
  public func perform(
    _ repair: Diagnosis.Repair, progress: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) async throws {
    try await changing(repair.group, within: .seconds(60)) { client in
      let group = repair.group
      let collections = CollectionRepair(
        client: client, group: group, opening: repair.opening, progress: progress)
      let items = ItemRepair(client: client, group: group, progress: progress)
      // Two repairs at once would each make a collection, and move the records of the other.
      try await FileLock.repair(of: group).run {
        try await refuseReplacedLogin(client)
        switch repair.kind {
        case .remakeMarker:
          try await MarkerRepair(client: client, group: group, progress: progress).perform()
        case .moveIntoOneCollection: try await collections.moveIntoOneCollection()
        case .renewKey: try await collections.renewKey()
        case .removeEmptyItems: try await items.removeEmptyItems()
        case .restoreAttributes: try await items.restoreAttributes()
        case .setAsideDamaged:
          try await items.restoreAttributes()
          try await DamagedItems(client: client, group: group).setAside(progress: progress)
        case .writeFile: try await collections.writeFile()
        case .mergeDuplicates: try await items.removeOutdatedCopies()
        }
      }
    }
  }
  /// Throws `storageFailed` when the daemon's next save of the login keyring would destroy a file that was put there.
  ///
  /// A repair may save a group's password in the login keyring.
  private func refuseReplacedLogin(_ client: SecretServiceClient) async throws {
    guard try await client.traits().offersGnomeInterface,
      let login = try await client.collection(alias: "login"),
      try await client.isLocked(login) == false,
      let damage = try await client.keyringFiles.replacement(of: login, client)
    else { return }
    throw damage.error("nothing was repaired, which keeps the file as it is")
  }
}
