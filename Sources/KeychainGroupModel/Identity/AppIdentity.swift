// SPDX-License-Identifier: MIT

/// Which app a process is: what the app says, checked against what the system says.
///
/// A sandbox tells most: inside a Flatpak or a snap nobody can pass for another app. A systemd unit tells who
/// a process is only if it was made for this very process; what an app starts stays in the app's unit.
public struct AppIdentity: Hashable, Sendable {
  /// Who says so.
  public enum Source: Hashable, Sendable {
    /// The app alone.
    case app
    /// The Flatpak.
    case flatpak
    /// The snap.
    case snap
    /// The systemd unit.
    case unit
    /// The program's file name, for want of anything better.
    case executable
  }

  /// The app.
  public let app: AppIdentifier

  /// Who says so.
  public let source: Source

  /// Finds out which app a process is.
  ///
  /// - Parameters:
  ///   - stated: What the app says it is; `nil` when it says nothing.
  ///   - facts: What the system says.
  /// - Throws: `identityMismatch` when the Flatpak, the snap or the unit say something else,
  ///   `invalidArgument` when the app says nothing and nothing else tells.
  public init(stated: AppIdentifier?, facts: ProcessFacts) throws(SecretStoreError) {
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
    let removed = " (deleted)"  // how the kernel marks a program that was replaced while it runs (proc(5))
    let file = path.hasSuffix(removed) ? path.dropLast(removed.utf8.count) : path[...]
    let name = String(file.split(separator: "/").last ?? "")
    guard IdentifierRule.problem(with: name) == nil, !isInterpreter(name) else {
      throw SecretStoreError(
        .invalidArgument,
        "The app doesn't say which one it is, and its program's name doesn't tell:"
          + " state the app's id, such as com.contoso.mail.")
    }
    return try AppIdentifier(name)
  }

  /// Whether a program runs other people's apps, as `python3.11` does.
  private static func isInterpreter(_ name: String) -> Bool {
    let stem = String(name.prefix { $0.isLetter })
    return [
      "bash", "dash", "dotnet", "electron", "gjs", "java", "mono", "node", "nodejs", "perl", "php", "python",
      "qml", "ruby", "sh", "wine",
    ].contains(stem)
  }
}
