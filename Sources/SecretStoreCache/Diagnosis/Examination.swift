// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

/// One run over all checks: what depends on a check that failed is not looked at.
struct Examination: Sendable {
  let client: SecretServiceClient
  let surroundings: Surroundings
  /// By when each check has ended; those of groups, which may be large, have twice the time.
  let limit: Duration
  private(set) var checks: [Diagnosis.Check] = []
  /// Why the Secret Service is not asked any more; `nil` as long as it is.
  var obstacle: String?
  /// When the youngest token of all groups was stored.
  var newest: Date?
  /// When the daemon wrote an item just now, by its clock.
  var written: Int?

  init(client: SecretServiceClient, surroundings: Surroundings, limit: Duration) {
    self.client = client
    self.surroundings = surroundings
    self.limit = limit
  }

  mutating func add(_ name: String, group: AccessGroup? = nil, _ finding: Finding) {
    checks.append(Diagnosis.Check(name, group: group, finding))
  }

  /// Makes a check that asks the Secret Service, unless there is an obstacle.
  ///
  /// - Returns: What the check has found besides; `nil` when it was not made or failed.
  mutating func ask<Output>(
    _ name: String, group: AccessGroup? = nil, _ check: () async throws -> (Finding, Output)
  ) async -> Output? {
    if let obstacle {
      add(name, group: group, .notLookedAt(obstacle))
      return nil
    }
    do {
      let (finding, output) = try await Deadline.run(within: group == nil ? limit : limit * 2, check)
      add(name, group: group, finding)
      return output
    } catch {
      let finding = Finding.error(error)
      add(name, group: group, finding)
      switch finding.code {
      case .timedOut?: obstacle = "the Secret Service does not answer"
      case .serviceUnavailable?: obstacle = "the Secret Service is not there"
      default: break
      }
      return nil
    }
  }

  /// Makes a check that has found nothing but its finding.
  mutating func ask(
    _ name: String, group: AccessGroup? = nil, _ check: () async throws -> Finding
  ) async {
    _ = await ask(name, group: group) { (try await check(), ()) }
  }

  /// Whether the last check failed, for which the rest are not made.
  mutating func stopIfFailed(_ reason: String) {
    if obstacle == nil && checks.last?.status == .error { obstacle = reason }
  }
}
