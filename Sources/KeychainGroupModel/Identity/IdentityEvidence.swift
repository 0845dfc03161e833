// SPDX-License-Identifier: MIT

/// What one part of the system says about which app a process is.
struct IdentityEvidence {
  let source: AppIdentity.Source
  /// The app's id as that part knows it.
  private let name: String
  /// Other ids that are the same app's.
  private let others: [String]
  /// Who speaks, for "but … says".
  private let speaker: String
  private let advice: String

  /// The strongest evidence there is, if there is any.
  ///
  /// - Throws: `identityMismatch` for a Flatpak that does not name its app.
  init?(_ facts: ProcessFacts) throws(SecretStoreError) {
    switch facts.flatpak {
    case .app(let name):
      self.init(
        source: .flatpak, name: name, others: [], speaker: "the Flatpak it runs in",
        advice: "A Flatpak's apps have its id, or one that begins with it and a dot.")
    case .unreadable:
      throw SecretStoreError(
        .identityMismatch, "The app runs in a Flatpak, and /.flatpak-info does not say in which.")
    case .none:
      if let tag = SnapTag(facts) {
        let declared = SnapTag.declaredIdentifiers(in: facts.snapMetadata)
        let name = declared.count == 1 ? declared[0] : tag.identifiers[0]
        self.init(
          source: .snap, name: name, others: declared + tag.identifiers,
          speaker: "the snap \(tag.instance) it runs in",
          advice: "A snap's apps have its name, or an id that its metadata declare as common-id.")
      } else if let unit = facts.unitName.flatMap(SystemdUnit.init), unit.isOwn(facts) {
        self.init(
          source: .unit, name: unit.app, others: [], speaker: "the systemd unit it was started in",
          advice: "Start it by its own .desktop file.")
      } else {
        return nil
      }
    }
  }

  private init(
    source: AppIdentity.Source, name: String, others: [String], speaker: String, advice: String
  ) {
    self.source = source
    self.name = name
    self.others = others
    self.speaker = speaker
    self.advice = advice
  }

  /// Whether an id is the app's.
  ///
  /// Flatpak reserves for an app the ids that begin with its own and a dot.
  func allows(_ identifier: String) -> Bool {
    identifier == name || others.contains(identifier)
      || (source == .flatpak && identifier.hasPrefix(name + "."))
  }

  /// The app's id.
  func identifier() throws(SecretStoreError) -> AppIdentifier {
    guard IdentifierRule.problem(with: name) == nil else {
      throw SecretStoreError(.identityMismatch, "What \(speaker) calls the app is no app id.")
    }
    return try AppIdentifier(name)
  }

  /// The error of an app that says it is another one.
  func contradiction(to stated: AppIdentifier) -> SecretStoreError {
    let known = IdentifierRule.problem(with: name) == nil ? name : "something that is no app id"
    return SecretStoreError(
      .identityMismatch, "The app says it is \(stated), but \(speaker) says \(known). \(advice)")
  }
}
