// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The content of a file of grants: a key file with a section for each app.
///
/// ```ini
/// [com.fabrikam.App]
/// groups=contoso/com.contoso.shared;com.microsoft.adalcache;
/// ```
///
/// A publisher stands before the group, with a slash. A line that is not understood grants nothing, and the others
/// count all the same. A section or a key that is repeated adds to the first one. An app with too many groups has none
/// of them, and a file with too many apps grants nothing: so no removal makes another grant count.
///
/// GLib's key files are not used here: GLib refuses a whole file for one line such as `groups`, which has no `=`, and of
/// a repeated key it keeps the last one only.
struct GrantFile {
  static let maximumBytes = 1_048_576
  static let maximumApps = 1_000
  static let maximumGroups = 100
  /// The number of problems that are reported.
  private static let maximumProblems = 100
  static let key = "groups"

  /// The groups of a line.
  struct Entry {
    let line: Int
    let app: AppIdentifier
    let groups: [AccessGroup]
  }

  var lines: [String]
  private(set) var entries: [Entry] = []
  /// The index of the first line of each app's section.
  private(set) var sections: [AppIdentifier: Int] = [:]
  /// What is wrong, with the number of the line.
  private(set) var problems: [(line: Int, explanation: String)] = []

  /// Parses the content of a file; returns `nil` when it is not text in UTF-8.
  init?(parsing bytes: [UInt8]) {
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { return nil }
    lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if lines.last == "" { lines.removeLast() }
    parse()
  }

  /// The text of the file.
  var text: String { lines.map { "\($0)\n" }.joined() }

  /// The groups that each app lists.
  var listed: [AppIdentifier: Set<AccessGroup>] {
    Dictionary(entries.map { ($0.app, Set($0.groups)) }) { $0.union($1) }
  }

  /// The groups that each app may use.
  var grants: [AppIdentifier: Set<AccessGroup>] {
    sections.count > Self.maximumApps ? [:] : listed.filter { $0.value.count <= Self.maximumGroups }
  }

  /// Reads the lines.
  mutating func parse() {
    (entries, sections, problems) = ([], [:], [])
    var section: AppIdentifier?
    // The lines of a section that is not understood belong to no app, and are not reported again.
    var isSkipping = false
    for (index, line) in lines.map(\.trimmed).enumerated() where !line.isEmpty && !line.begins(with: "#") {
      do throws(SecretStoreError) {
        if line.begins(with: "[") {
          (section, isSkipping) = (nil, true)
          let app = try Self.app(ofSection: line)
          sections[app] = sections[app] ?? index
          (section, isSkipping) = (app, false)
        } else if !isSkipping {
          let parts = line.split(at: "=", maximumParts: 2)
          guard let section, parts.count == 2, parts[0] == Self.key
          else { throw SecretStoreError(.invalidFile, "It is no \(Self.key)= of an app.") }
          entries.append(Entry(line: index, app: section, groups: groups(of: line, at: index)))
        }
      } catch {
        report(error.detail, at: index)
      }
    }
    reportLimits()
  }

  private mutating func reportLimits() {
    if sections.count > Self.maximumApps {
      report("The file has more than \(Self.maximumApps) apps, and none of it counts.", at: 0)
    }
    for (app, groups) in listed where groups.count > Self.maximumGroups {
      report("\(app) has more than \(Self.maximumGroups) groups, and none counts.", at: sections[app] ?? 0)
    }
  }

  private mutating func report(_ explanation: String, at index: Int) {
    if problems.count < Self.maximumProblems { problems.append((index + 1, explanation)) }
  }

  private static func app(ofSection line: String) throws(SecretStoreError) -> AppIdentifier {
    guard line.ends(with: "]") else { throw SecretStoreError(.invalidFile, "It is no section of an app.") }
    return try AppIdentifier(String(line.unicodeScalars.dropFirst().dropLast()))
  }

  private mutating func groups(of line: String, at index: Int) -> [AccessGroup] {
    Self.elements(of: line).compactMap { element in
      do throws(SecretStoreError) {
        return try Self.group(element)
      } catch {
        report(error.detail, at: index)
        return nil
      }
    }
  }

  /// Returns the elements of a line's list.
  static func elements(of line: String) -> [String] {
    line.split(at: "=", maximumParts: 2).dropFirst().flatMap { $0.split(at: ";") }.filter { !$0.isEmpty }
  }

  /// Returns the group that an element names.
  static func group(_ element: String) throws(SecretStoreError) -> AccessGroup {
    let parts = element.split(at: "/", maximumParts: 2)
    guard parts.count == 2 else { return try AccessGroup(element) }
    return try AccessGroup(parts[1], publisher: Publisher(parts[0]))
  }
}

/// A character and the accents after it are one `Character` of Swift: what divides a line is found among the scalars.
extension String {
  /// The text without spaces, tabs and carriage returns at both ends.
  var trimmed: String {
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" || scalar == "\r" }
    var scalars = unicodeScalars[...]
    while let first = scalars.first, isBlank(first) { scalars.removeFirst() }
    while let last = scalars.last, isBlank(last) { scalars.removeLast() }
    return String(scalars)
  }

  func begins(with scalar: Unicode.Scalar) -> Bool { unicodeScalars.first == scalar }

  func ends(with scalar: Unicode.Scalar) -> Bool { unicodeScalars.last == scalar }

  /// The trimmed parts before, between and after the separators.
  fileprivate func split(at separator: Unicode.Scalar, maximumParts: Int = .max) -> [String] {
    unicodeScalars.split(separator: separator, maxSplits: maximumParts - 1, omittingEmptySubsequences: false)
      .map { String($0).trimmed }
  }
}
