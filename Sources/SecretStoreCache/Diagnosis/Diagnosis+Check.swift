// SPDX-License-Identifier: MIT

public import KeychainGroupModel

extension Diagnosis {
  /// One thing that was looked at, what was seen, and what mends it.
  public struct Check: Sendable, Hashable {
    /// What was looked at: one of the names that the article <doc:WhenSomethingIsWrong> lists, and behind a colon
    /// which one of several, as in `group-lock:com.contoso.shared`.
    public let name: String

    /// The group that it is about; `nil` when it is about the session or the machine.
    public let group: AccessGroup?

    /// How grave it is.
    public let status: Status

    /// What was seen, in a sentence or two.
    public let detail: String

    /// The one command or setting that mends it; empty when there is nothing to mend.
    public let remedy: String

    /// What a silent call that meets this fails with; `nil` unless the status is an error.
    public let code: SecretStoreError.Code?

    /// What the library can mend itself without a loss; `nil` when it can't.
    public let repair: Repair?

    /// Whether it was looked at; not when another check, that it depends on, has failed.
    public let wasLookedAt: Bool

    init(_ name: String, group: AccessGroup? = nil, _ finding: Finding) {
      self.name = name
      self.group = group
      status = finding.status
      detail = finding.detail
      remedy = finding.remedy
      code = finding.code
      repair = finding.repair
      wasLookedAt = finding.wasLookedAt
    }
  }
}
