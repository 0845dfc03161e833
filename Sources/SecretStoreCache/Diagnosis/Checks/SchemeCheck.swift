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
    if problem.rule == .schemeNotOpened { return notOpened }
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
    default: return "Correct \(path)."
    }
  }

  /// The desktop opens URLs of a scheme with another app, or does not know the app's file, or not its program.
  private var notOpened: Finding {
    let app = manifest.identifier
    for scheme in manifest.redirectSchemes {
      let apps = handlers?.apps(for: scheme) ?? []
      if apps.first == app { continue }
      if apps.contains(app) {
        return .warning(
          "The desktop opens \(scheme): URLs with \(apps[0]).",
          remedy: "xdg-mime default \(app).desktop x-scheme-handler/\(scheme)")
      }
      let detail = "The desktop doesn't open \(scheme): URLs with \(app)."
      if let program = missingProgram {
        return .warning("\(detail) \(program) is not there.", remedy: "Correct Exec in \(manifest.path).")
      }
      return .warning(detail, remedy: "update-desktop-database \(ToolCommand.quoted(folder))")
    }
    return .ok("\(manifest.redirectSchemes.joined(separator: " ")) opens the app.")
  }

  private var folder: String {
    "/" + manifest.path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The program of the app's `Exec`, when it is not there: GIO passes over such an app.
  private var missingProgram: String? {
    guard let (bytes, _) = try? FileReader().contents(manifest.path, limit: DesktopFiles.maximumBytes),
      let file = try? KeyFile(parsing: bytes), let command = try? file.string("Exec", in: "Desktop Entry"),
      let program = command.split(separator: " ").first.map({ $0.filter { $0 != "\"" } })
    else { return nil }
    if program.hasPrefix("/") {
      return FileReader().information(program, followsLink: true) == nil ? program : nil
    }
    return surroundings.hasProgram(program) ? nil : program
  }
}
