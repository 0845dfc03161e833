// SPDX-License-Identifier: MIT

extension ProcessFacts {
  /// Whether the process belongs to a snap.
  package var isInSnap: Bool { SnapTag(self) != nil }

  /// Returns the app of the snap that confines the process, or `nil` when no snap confines it.
  ///
  /// Two facts name the snap: the AppArmor label, and the control group that snapd makes. Nothing else counts, since a
  /// process chooses its environment, and a snap its metadata. The snap of a label in complain mode, as that of a
  /// classic snap, confines nothing.
  ///
  /// - Throws: `identityMismatch` when one of the two facts names a snap and the other does not, or names another.
  package func confiningSnap() throws(SecretStoreError) -> AppIdentifier? {
    let groups = snapsOfControlGroups
    let label = securityLabel.split(separator: " ").first.map(String.init) ?? ""
    let isLabelled = label.hasPrefix("snap.")
    if !isLabelled && groups.isEmpty { return nil }
    if isLabelled && securityLabel.hasSuffix(" (complain)") { return nil }
    guard securityLabel.hasSuffix(" (enforce)"), let tag = SnapTag(label), groups == [tag.instance] else {
      throw SecretStoreError(
        .identityMismatch,
        "The process is in a snap by its control group or by its AppArmor label, and not by both.")
    }
    var facts = ProcessFacts(processID: processID)
    facts.securityLabel = securityLabel
    return try AppIdentity(stated: nil, facts: facts).app
  }

  /// The names of the snaps in the control groups, such as `contoso-mail` in `/snap.contoso-mail.helper.service`.
  private var snapsOfControlGroups: Set<String> {
    var names: Set<String> = []
    for part in controlGroups.split(whereSeparator: { $0 == "/" || $0.isNewline }) {
      let labels = SystemdUnit.unescape(part).split(separator: ".", omittingEmptySubsequences: false)
      if labels.count > 1, labels[0] == "snap" { names.insert(String(labels[1])) }
    }
    return names
  }
}
