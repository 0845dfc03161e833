// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// One run of all checks.
///
/// It skips checks that depend on a failed check.
struct DiagnosticRun: Sendable {
  let client: SecretServiceClient
  var environment: DiagnosticEnvironment
  /// The time limit of each check.
  ///
  /// A check of a group, which may be large, has twice this time.
  let limit: Duration
  private(set) var checks: [Diagnosis.Check] = []
  /// The remedy that comes before any repair; `nil` where repairs can be made.
  private var remedyBeforeRepairs: String?
  /// The reason why the Secret Service is not called any more; `nil` while it is.
  var obstacle: String?
  /// The time at which the newest token of all groups was stored, and its group.
  var newest: (time: Date, group: AccessGroup)?
  /// The apps' own secrets of each group that was read.
  var secrets: [AccessGroup: Set<RecordKey>] = [:]
  /// The daemon's modification time of the round-trip check's item, in seconds since 1970.
  var written: Int?

  init(client: SecretServiceClient, environment: DiagnosticEnvironment, limit: Duration) {
    self.client = client
    self.environment = environment
    self.limit = limit
  }

  mutating func add(_ name: String, group: AccessGroup? = nil, _ result: CheckResult) {
    var result = result
    if let remedyBeforeRepairs, result.repair != nil {
      (result.repair, result.remedy) = (nil, remedyBeforeRepairs)
    }
    if result.forbidsRepairs { remedyBeforeRepairs = result.remedy }
    checks.append(Diagnosis.Check(name, group: group, result))
  }

  /// Makes a check that calls the Secret Service, unless there is an obstacle.
  ///
  /// - Returns: The additional output of the check; `nil` when it was skipped or failed.
  mutating func perform<Output>(
    _ name: String, group: AccessGroup? = nil, _ check: () async throws -> (CheckResult, Output)
  ) async -> Output? {
    if let obstacle {
      add(name, group: group, .skipped(obstacle))
      return nil
    }
    do {
      let (result, output) = try await Deadline.run(within: group == nil ? limit : limit * 2, check)
      add(name, group: group, result)
      return output
    } catch {
      var result = CheckResult.error(error)
      // The general remedy knows less than that of the check that wrote something, or looked for holders of locks.
      let cause: String? =
        switch result.code {
        case _ where CheckResult.ownRemedy(of: error) != nil: nil
        case .storageFailed: RoundTripCheck.name
        case .lockTimedOut: LeasesCheck.name
        default: nil
        }
      if let found = checks.first(where: { $0.name == cause && !$0.remedy.isEmpty }) {
        result.remedy = found.remedy
      }
      add(name, group: group, result)
      switch result.code {
      case .timedOut?: obstacle = "the Secret Service does not reply"
      case .serviceUnavailable?: obstacle = "the Secret Service is not there"
      default: break
      }
      return nil
    }
  }

  /// Makes a check that has no additional output.
  mutating func perform(
    _ name: String, group: AccessGroup? = nil, _ check: () async throws -> CheckResult
  ) async {
    _ = await perform(name, group: group) { (try await check(), ()) }
  }

  /// Sets the obstacle when the last check failed, so that the remaining checks are skipped.
  mutating func stopIfFailed(_ reason: String) {
    if obstacle == nil && checks.last?.status == .error { obstacle = reason }
  }
}
