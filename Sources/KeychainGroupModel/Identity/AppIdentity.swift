// SPDX-License-Identifier: MIT

/// The app that a process belongs to: the app's own statement, checked against what the system reports.
///
/// A sandbox is the strongest evidence: a process in a Flatpak or a snap cannot claim to be another app. A systemd
/// unit is evidence only if it was created for this very process, because the child processes of an app stay in its
/// unit.
package struct AppIdentity: Hashable, Sendable {
  /// The source of an app's identity.
  package enum Source: Hashable, Sendable {
    /// The app's own statement, which nothing confirms or contradicts.
    case app
    /// The Flatpak sandbox.
    case flatpak
    /// The snap.
    case snap
    /// The systemd unit.
    case unit
    /// The file name of the program, when there is no better source.
    case executable
  }

  /// The app.
  package let app: AppIdentifier

  /// The source of the identity.
  package let source: Source

  /// Determines which app a process belongs to.
  ///
  /// - Parameters:
  ///   - stated: The identifier that the app states, or `nil` if it states none.
  ///   - facts: What the system reports about the process.
  /// - Throws: `identityMismatch` when the Flatpak, the snap or the systemd unit contradicts the app, or names no
  ///   valid app ID. `invalidArgument` when the app states nothing and the program's name identifies no app.
  package init(stated: AppIdentifier?, facts: ProcessFacts) throws(SecretStoreError) {
    let evidence = try IdentityEvidence(facts)
    if let stated {
      if let evidence, !evidence.allows(stated.name) { throw evidence.contradiction(to: stated) }
      app = stated
      source = evidence?.source ?? .app
    } else if let evidence {
      app = try evidence.identifier()
      source = evidence.source
    } else {
      app = try Self.identifier(ofProgram: facts.executable)
      source = .executable
    }
  }

  private static func identifier(ofProgram path: String) throws(SecretStoreError) -> AppIdentifier {
    let removed = " (deleted)"  // the kernel's mark of a program file replaced while it runs (proc(5))
    let file = path.hasSuffix(removed) ? path.dropLast(removed.utf8.count) : path[...]
    let name = String(file.split(separator: "/").last ?? "")
    guard IdentifierRule.problem(with: name) == nil, !isInterpreter(name) else {
      throw SecretStoreError(
        .invalidArgument,
        "The app doesn't say which one it is, and its program's name doesn't either:"
          + " state the app's id, such as com.contoso.mail.")
    }
    return try AppIdentifier(name)
  }

  /// Returns whether a program is an interpreter that runs other apps, such as `python3.11`.
  private static func isInterpreter(_ name: String) -> Bool {
    let stem = String(name.prefix { $0.isLetter })
    return [
      "bash", "dash", "dotnet", "electron", "gjs", "java", "mono", "node", "nodejs", "perl", "php", "python",
      "qml", "ruby", "sh", "wine",
    ].contains(stem)
  }
}
