// SPDX-License-Identifier: MIT

public import KeychainGroupModel

extension Diagnosis {
  /// The outcome of one check: what was checked, what was found, and how to fix it.
  public struct Check: Sendable, Hashable {
    /// The name of the check, as listed in the article <doc:WhenSomethingIsWrong>.
    ///
    /// When there are several checks of one kind, the subject follows after a colon, as in
    /// `group-lock:com.contoso.shared`.
    public let name: String

    /// The group that was checked; `nil` for a check of the session or the machine.
    public let group: AccessGroup?

    /// The severity of the result.
    public let status: Status

    /// What was found, in one or two sentences.
    public let detail: String

    /// The command, setting or step that fixes the problem; empty when there is nothing to fix.
    public let remedy: String

    /// The error code with which a silent call fails because of this problem; `nil` unless the status is an error.
    public let code: SecretStoreError.Code?

    /// The repair that the library can make without losing data; `nil` when there is none.
    public let repair: Repair?

    /// Whether the check was made.
    ///
    /// A check is skipped when another check that it depends on failed.
    public let wasPerformed: Bool

    /// Creates the outcome of a check, for tests and previews of an app.
    public init(
      _ name: String, group: AccessGroup? = nil, status: Status = .ok, detail: String = "",
      remedy: String = "",
      code: SecretStoreError.Code? = nil, repair: Repair? = nil, wasPerformed: Bool = true
    ) {
      self.name = name
      self.group = group
      self.status = status
      self.detail = detail
      self.remedy = remedy
      self.code = code
      self.repair = repair
      self.wasPerformed = wasPerformed
    }

    init(_ name: String, group: AccessGroup? = nil, _ result: CheckResult) {
      self.init(
        name, group: group, status: result.status, detail: result.detail, remedy: result.remedy,
        code: result.code,
        repair: result.repair, wasPerformed: result.wasPerformed)
    }
  }
}
