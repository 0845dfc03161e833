// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// What keeps an app from signing in silently, and what mends it: one answer to each check that there is.
///
/// ```swift
/// let diagnosis = await SecretStore().diagnose()
/// for check in diagnosis.checks where check.status != .ok {
///   print(check.detail, check.remedy)
/// }
/// ```
///
/// It holds no token, no account's name and no secret: it can be shown, and sent to whoever helps. Paths below the home
/// are in it.
public struct Diagnosis: Sendable, Hashable {
  /// Every check, in the order in which they were made; what comes first is the likelier cause.
  public let checks: [Check]

  /// Makes a diagnosis of checks.
  public init(checks: [Check]) { self.checks = checks }

  /// The worst status of all checks.
  public var status: Status { checks.map(\.status).max() ?? .ok }

  /// What an app meets now: the code of the first error; `nil` when there is none.
  public var code: SecretStoreError.Code? { checks.lazy.compactMap(\.code).first }

  /// What can be mended without a loss, each once; see ``SecretStore/perform(_:)``.
  public var repairs: [Repair] {
    var seen: Set<Repair> = []
    return checks.compactMap(\.repair).filter { seen.insert($0).inserted }
  }
}
