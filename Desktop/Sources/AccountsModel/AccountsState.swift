// SPDX-License-Identifier: MIT

package import SecretStoreAgent
package import SecretStoreCache
package import SecretStoreDiagnosis

/// All that the window shows, without a view.
package struct AccountsState: Sendable, Equatable {
  /// Work that takes a while, and that the person can cancel.
  package enum Job: Sendable, Hashable {
    case group(AccessGroup)
    case account(AccountItem.ID)
    case keyring
    case diagnosis
    case repair(Diagnosis.Repair)
    case grant(InstalledApps.Grant)

    /// Whether doctor may find less afterwards.
    var mayMend: Bool {
      switch self {
      case .group, .keyring, .repair: true
      case .account, .diagnosis, .grant: false
      }
    }
  }

  /// The groups in the order of the list.
  package private(set) var groups: [GroupSection] = []
  /// Whether the list of groups has been read.
  package private(set) var isListed = false
  /// Why the list of groups can't be read at present; `nil` when it can.
  package private(set) var failure: Failure?
  package private(set) var apps: [InstalledApps.App] = []
  package private(set) var grants: [InstalledApps.Grant] = []
  package private(set) var grantProblems: [InstalledApps.Grant.Problem] = []
  /// What doctor found; `nil` before the first diagnosis.
  package private(set) var checks: [DoctorCheck]?
  /// The sentence that counts what doctor found; `nil` before the first diagnosis.
  package private(set) var diagnosisSummary: String?
  /// What is being done.
  package private(set) var jobs: Set<Job> = []

  package init() {}

  /// Takes over a list of groups: what is new is added, and what is no longer there is removed.
  ///
  /// A group that several markers name is one section. A list that can't be read leaves the sections as they are.
  package mutating func update(groups list: Result<[GroupSummary], SecretStoreError>) {
    switch list {
    case .failure(let error): failure = Failure(error)
    case .success(let summaries):
      failure = nil
      isListed = true
      var sections: [GroupSection] = []
      var positions: [GroupSection.ID: Int] = [:]
      for summary in summaries {
        let new = GroupSection(summary, declared: declared)
        if let position = positions[new.id] {
          sections[position].update(summary)
          continue
        }
        var section = groups.first { $0.id == new.id } ?? new
        section.update(summary)
        section.update(names: names)
        positions[new.id] = sections.count
        sections.append(section)
      }
      groups = sections
    }
  }

  /// Takes over a change of a group; one of a group that is not listed has no effect.
  package mutating func apply(_ change: GroupChange, to group: AccessGroup) {
    guard let position = groups.firstIndex(where: { $0.id == .group(group) }) else { return }
    groups[position].apply(change)
  }

  /// Takes over the apps and the grants.
  package mutating func update(
    apps: [InstalledApps.App], grants: [InstalledApps.Grant], problems: [InstalledApps.Grant.Problem]
  ) {
    self.apps = apps
    self.grants = grants
    grantProblems = problems
    for position in groups.indices { groups[position].update(names: names) }
  }

  /// Takes over a diagnosis.
  package mutating func update(diagnosis: Diagnosis) {
    checks = diagnosis.checks.map(DoctorCheck.init)
    diagnosisSummary = diagnosis.summary
  }

  package mutating func begin(_ job: Job) { jobs.insert(job) }
  package mutating func end(_ job: Job) { jobs.remove(job) }

  /// The groups of the apps whose files count.
  private var declared: Set<AccessGroup> { Set(apps.compactMap(\.entitlements).flatMap(\.groups)) }

  /// The names of the apps whose files count, by their IDs.
  private var names: [String: String] {
    Dictionary(
      apps.compactMap { app in
        guard app.entitlements != nil, let name = app.name, !name.isEmpty else { return nil }
        return (app.identifier, name)
      }, uniquingKeysWith: { first, _ in first })
  }
}

/// A failure in the library's words.
package struct Failure: Sendable, Equatable {
  /// A sentence for the person.
  package let title: String
  /// What exactly failed.
  package let detail: String
  package let code: SecretStoreError.Code

  package init(_ error: SecretStoreError) {
    title = (error.errorDescription ?? "").plainText
    detail = error.detail.plainText(upTo: 2000)
    code = error.code
  }
}
