// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether the answer to a sign-in reaches the app: the scheme of its redirect URI is opened with it.
struct SchemeCheck: Sendable {
  let manifest: AppManifest
  let handlers: (any SchemeHandlers)?
  let surroundings: Surroundings

  static let name = "scheme"

  /// The rules that are about schemes.
  static let rules: Set<ManifestProblem.Rule> = [
    .upperCaseScheme, .otherAppsScheme, .sharedScheme, .noURLArgument, .schemeNotOpened,
  ]

  func find() -> Finding {
    guard let problem = manifest.problems.first(where: { Self.rules.contains($0.rule) }) else {
      let schemes = manifest.redirectSchemes.joined(separator: " ")
      return .ok(schemes.isEmpty ? "No scheme of a redirect URI is registered." : "\(schemes) opens the app.")
    }
    return .warning(problem.explanation, remedy: remedy(problem.rule))
  }

  private func remedy(_ rule: ManifestProblem.Rule) -> String {
    let path = manifest.path
    switch rule {
    case .noURLArgument: return "Put %u behind the program in Exec of \(path)."
    case .upperCaseScheme: return "Write the scheme in lower case in MimeType of \(path)."
    case .otherAppsScheme:
      return "Register x-scheme-handler/msauth.\(manifest.identifier) in MimeType of \(path)."
    case .sharedScheme: return "Give the app a scheme of its own in MimeType of \(path)."
    default: return opened
    }
  }

  /// What makes the desktop open the scheme with the app.
  private var opened: String {
    for scheme in manifest.redirectSchemes {
      let apps = handlers?.apps(for: scheme) ?? []
      if apps.first == manifest.identifier { continue }
      if apps.contains(manifest.identifier) {
        return "xdg-mime default \(manifest.identifier).desktop x-scheme-handler/\(scheme)"
      }
      break
    }
    let folder = manifest.path.split(separator: "/").dropLast().joined(separator: "/")
    return "update-desktop-database \(ToolCommand.quoted("/\(folder)"))"
  }
}
