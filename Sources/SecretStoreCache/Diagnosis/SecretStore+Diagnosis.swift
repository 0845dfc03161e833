// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// Finding out why silent sign-in fails, and mending it: for settings pages, reports and tools.
extension SecretStore {
  /// Looks at everything that silent sign-in needs.
  ///
  /// It opens groups as every call of an app does, writes one item of nobody's and deletes it, and changes nothing
  /// else; there is never a dialog. It also works where there is no bus at all. Each check has five seconds, or half
  /// of the store's `timeout` when that is less, and each of a group's twice that; what depends on a check that failed is
  /// not looked at: also with a daemon that hangs, it ends in time.
  ///
  /// - Parameters:
  ///   - groups: The groups that are looked at; every one that there is when `nil`, or the app's.
  ///   - entitlements: An app's entitlements property list, which is looked at as well; `nil` for none.
  public func diagnose(_ groups: [AccessGroup]? = nil, entitlements: Data? = nil) async -> Diagnosis {
    await diagnose(groups, entitlements: entitlements, in: Surroundings())
  }

  /// Looks at everything, in other surroundings.
  package func diagnose(
    _ groups: [AccessGroup]? = nil, entitlements: Data? = nil, in surroundings: Surroundings
  ) async -> Diagnosis {
    var examination = Examination(
      client: client, surroundings: surroundings, limit: min(options.timeout / 2, .seconds(5)))
    await examination.examineProvider()
    var wanted = groups
    if let entitlements {
      let (finding, app) = EntitlementsCheck(propertyList: entitlements).find()
      examination.add(EntitlementsCheck.name, finding)
      if wanted == nil { wanted = app.map { $0.groups.isEmpty ? [$0.ownGroup] : $0.groups } }
    }
    let installed = InstalledApps(environment: surroundings.environment, root: surroundings.root)
    let apps = installed.catalog().manifests.filter(\.declaresSharing)
    if wanted == nil {
      wanted = await examination.findGroups(Set(apps.compactMap { $0.entitlements?.publisher }))
    }
    let all = wanted ?? []
    await examination.examineCollections(all)
    for group in all { await examination.examine(group, backend: unrestrictedBackend(for: group)) }
    examination.examineMachine(apps, handlers: installed.schemeHandlers())
    return Diagnosis(checks: examination.checks)
  }

  /// Mends what a diagnosis has found to be mendable without a loss.
  ///
  /// - Throws: As the calls on groups: `groupLocked`, `storageFailed`, `timedOut` after a minute and the like; then
  ///   nothing is lost, and it can be done again.
  public func perform(_ repair: Diagnosis.Repair) async throws {
    try await changing(repair.group, within: .seconds(60)) { client in
      let group = repair.group
      switch repair.kind {
      case .remakeMarker: try await MarkerRepair(client: client, group: group).perform()
      case .gatherCollections: try await CollectionRepair(client: client, group: group).gather()
      case .renewKey: try await CollectionRepair(client: client, group: group).renew()
      case .removeEmptyItems: try await ItemRepair(client: client, group: group).removeEmptyItems()
      case .mergeDuplicates: try await ItemRepair(client: client, group: group).removeOutdatedCopies()
      }
    }
  }
}
