// SPDX-License-Identifier: MIT

package import SecretStoreAgent
package import SecretStoreCache

/// An entry of a list as two plain texts.
package protocol TextEntry: Identifiable, Equatable {
  var title: String { get }
  var subtitle: String { get }
}

/// An app that declares groups in its `.desktop` file.
package struct AppEntry: TextEntry {
  package let id: String
  package let title: String
  package let subtitle: String

  package init(_ app: InstalledApps.App) {
    id = app.path
    title = (app.name ?? app.identifier).plainText
    let groups = app.groups.prefix(5).map(\.plainText).joined(separator: ", ")
    let facts = [
      app.identifier.plainText, app.publisher.map { "Publisher \($0.plainText)" },
      groups.isEmpty
        ? nil : "Groups \(groups)\(app.groups.count > 5 ? " and \(app.groups.count - 5) more" : "")",
      app.isSystemWide ? "For everybody" : "For you",
      app.entitlements == nil ? "Refused" : nil,
    ].compactMap(\.self).joined(separator: " · ")
    subtitle =
      ([facts] + app.problems.map { ($0.isRefusal ? "Refused: " : "") + $0.explanation.plainText(upTo: 1000) })
      .joined(separator: "\n")
  }
}

/// A grant of a sandboxed app.
package struct GrantEntry: TextEntry {
  package let id: InstalledApps.Grant
  package let title: String
  package let subtitle: String

  package init(_ grant: InstalledApps.Grant) {
    id = grant
    title = grant.app.name
    let source =
      grant.source == .user ? "Granted by you" : "Granted by the administrator: \(grant.path.plainText)"
    subtitle = "The group \(grant.group) · \(source)"
  }
}

/// A problem of a file of grants.
package struct GrantProblemEntry: TextEntry {
  package let id: String
  package let title: String
  package let subtitle: String

  package init(_ problem: InstalledApps.Grant.Problem) {
    title = problem.path.plainText(upTo: 1000) + (problem.line.map { ", line \($0)" } ?? "")
    subtitle = "Refused: \(problem.explanation.plainText(upTo: 1000))"
    id = "\(title) \(subtitle)"
  }
}
