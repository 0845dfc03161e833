// SPDX-License-Identifier: MIT

/// The app that a process belongs to, as Flatpak, snapd or systemd reports it.
struct IdentityEvidence {
  let source: AppIdentity.Source
  /// The app's ID as the source reports it.
  private let name: String
  /// Other IDs of the same app.
  private let others: [String]
  /// The source's name for error messages, as in "but … says".
  private let sourceDescription: String
  private let advice: String

  /// Creates the strongest evidence in the facts (Flatpak, then snap, then systemd unit), or `nil` without evidence.
  ///
  /// - Throws: `identityMismatch` for a Flatpak that does not name its app.
  init?(_ facts: ProcessFacts) throws(SecretStoreError) {
    switch facts.flatpak {
    case .app(let name):
      self.init(
        source: .flatpak, name: name, others: [], sourceDescription: "the Flatpak it runs in",
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
          sourceDescription: "the snap \(tag.instance) it runs in",
          advice: "A snap's apps have its name, or an id that its metadata declare as common-id.")
      } else if let unit = facts.unitName.flatMap(SystemdUnit.init), unit.isOwn(facts) {
        self.init(
          source: .unit, name: unit.app, others: [], sourceDescription: "the systemd unit it was started in",
          advice: "Start it by its own .desktop file.")
      } else {
        return nil
      }
    }
  }

  private init(
    source: AppIdentity.Source, name: String, others: [String], sourceDescription: String, advice: String
  ) {
    self.source = source
    self.name = name
    self.others = others
    self.sourceDescription = sourceDescription
    self.advice = advice
  }

  /// Returns whether an ID belongs to the app.
  ///
  /// Flatpak reserves for an app its own ID and all IDs that begin with it and a dot.
  func allows(_ identifier: String) -> Bool {
    identifier == name || others.contains(identifier)
      || (source == .flatpak && identifier.hasPrefix(name + "."))
  }

  /// Returns the app's ID.
  ///
  /// - Throws: `identityMismatch` when the source's name for the app is not a valid app ID.
  func identifier() throws(SecretStoreError) -> AppIdentifier {
    guard IdentifierRule.problem(with: name) == nil else {
      throw SecretStoreError(.identityMismatch, "What \(sourceDescription) calls the app is no app id.")
    }
    return try AppIdentifier(name)
  }

  /// Returns the error for an app that states the ID of another app.
  func contradiction(to stated: AppIdentifier) -> SecretStoreError {
    let known = IdentifierRule.problem(with: name) == nil ? name : "something that is no app id"
    return SecretStoreError(
      .identityMismatch, "The app says it is \(stated), but \(sourceDescription) says \(known). \(advice)")
  }
}
