// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Changes of a file, which keep all other lines as they are.
extension GrantFile {
  /// Adds a group to an app.
  ///
  /// - Throws: `invalidArgument` when the file has too many apps, or the app too many groups.
  mutating func add(_ group: AccessGroup, to app: AppIdentifier) throws(SecretStoreError) {
    guard sections.count + (sections[app] == nil ? 1 : 0) <= Self.maximumApps else {
      throw SecretStoreError(.invalidArgument, "\(Self.maximumApps) apps have grants, which is the limit.")
    }
    guard listed[app, default: []].count < Self.maximumGroups else {
      throw SecretStoreError(.invalidArgument, "\(app) has \(Self.maximumGroups) grants, which is the limit.")
    }
    let element = "\(group.publisher.map { "\($0)/" } ?? "")\(group.name)"
    if let entry = entries.first(where: { $0.app == app }) {
      let line = lines[entry.line].trimmed
      let needsSeparator = !line.ends(with: ";") && !Self.elements(of: line).isEmpty
      lines[entry.line] = line + (needsSeparator ? ";" : "") + "\(element);"
    } else if let section = sections[app] {
      lines.insert(Self.line(of: [element]), at: section + 1)
    } else {
      if lines.last?.isEmpty == false { lines.append("") }
      lines += ["[\(app)]", Self.line(of: [element])]
    }
    parse()
  }

  /// Removes groups from an app.
  ///
  /// - Parameters:
  ///   - group: The group; `nil` for all groups.
  ///   - app: The app.
  mutating func remove(_ group: AccessGroup?, from app: AppIdentifier) {
    for entry in entries.reversed() where entry.app == app {
      let kept = Self.elements(of: lines[entry.line]).filter { element in
        guard let named = try? Self.group(element) else { return true }
        return group != nil && named != group
      }
      if kept.isEmpty {
        removeLine(entry.line)
      } else {
        lines[entry.line] = Self.line(of: kept)
      }
    }
    parse()
  }

  private static func line(of elements: [String]) -> String {
    "\(key)=" + elements.map { "\($0);" }.joined()
  }

  /// Removes a line, and the line before it if that begins a section that has no other line.
  private mutating func removeLine(_ line: Int) {
    lines.remove(at: line)
    let rest = lines[line...].prefix { !$0.trimmed.begins(with: "[") }
    guard lines[line - 1].trimmed.begins(with: "["), rest.allSatisfy(\.trimmed.isEmpty) else { return }
    lines.remove(at: line - 1)
  }
}
