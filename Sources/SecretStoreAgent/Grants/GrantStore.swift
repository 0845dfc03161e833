// SPDX-License-Identifier: MIT

import FoundationEssentials
package import Glibc
package import KeychainGroupModel
package import SecretStoreCache

/// The groups that the user and the administrator granted to apps.
///
/// The user's grants are in the file `secretstorecache/grants` of `XDG_CONFIG_HOME`, the administrator's in the files
/// `*.grants` of ``administratorFolder``. A file that somebody else could have written grants nothing: it must be a
/// regular file of the user or of root, or of root alone in the administrator's folder; nobody else may be able to
/// write to it or to its folder; and it is no symbolic link.
///
/// A sandboxed app that may write to the user's configuration folder can grant itself any group.
package struct GrantStore: Sendable {
  package typealias Grant = InstalledApps.Grant

  /// The folder of the administrator's grants.
  package static let administratorFolder = "/etc/secretstorecache/grants.d"

  /// The folder of the user's grants; `nil` when neither `XDG_CONFIG_HOME` nor `HOME` names one.
  let userFolder: String?
  private let administratorFolder: String
  private let administrator: uid_t

  /// Creates a store; nothing is read yet.
  ///
  /// - Parameters:
  ///   - environment: The environment variables.
  ///   - administratorFolder: The folder of the administrator's grants.
  ///   - administrator: The owner of that folder and of its files.
  package init(
    environment: [String: String] = ProcessEnvironment.current,
    administratorFolder: String = Self.administratorFolder, administrator: uid_t = 0
  ) {
    func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    userFolder = (folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" })
      .map { "\($0)/secretstorecache" }
    self.administratorFolder = administratorFolder
    self.administrator = administrator
  }

  /// The path of the user's file.
  package var userFile: String? { userFolder.map { "\($0)/grants" } }

  /// Reads all grants, sorted by app and group.
  package func grants() -> [Grant] {
    read().grants.sorted { left, right in
      let (one, two) = (left, right)
      return [one.app.name, one.group.name, one.group.publisher?.name ?? "", one.path]
        .lexicographicallyPrecedes([two.app.name, two.group.name, two.group.publisher?.name ?? "", two.path])
    }
  }

  /// Returns the problems of all files.
  package func problems() -> [Grant.Problem] { read().problems }

  /// Returns whether somebody granted a group to an app.
  package func allows(_ group: AccessGroup, for app: AppIdentifier) -> Bool {
    read().grants.contains { $0.app == app && $0.group == group }
  }

  private func read() -> (grants: [Grant], problems: [Grant.Problem]) {
    var found: (grants: [Grant], problems: [Grant.Problem]) = ([], [])
    func add(_ path: String, _ source: Grant.Source) {
      do throws(GrantRefusal) {
        guard let file = try read(path, of: source) else { return }
        for (app, groups) in file.grants {
          found.grants += groups.map { Grant(app: app, group: $0, source: source, path: path) }
        }
        found.problems += file.problems.map { line, explanation in
          Grant.Problem(path: path, line: line, explanation: explanation)
        }
      } catch {
        found.problems.append(Grant.Problem(path: path, line: nil, explanation: "The file \(error.reason)."))
      }
    }
    if let userFolder, let userFile, isTrusted(userFolder, .user, &found.problems) { add(userFile, .user) }
    if isTrusted(administratorFolder, .administrator, &found.problems) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: administratorFolder)) ?? []
      for name in names.sorted() where name.hasSuffix(".grants") && !name.hasPrefix(".") {
        add("\(administratorFolder)/\(name)", .administrator)
      }
    }
    return found
  }

  /// Reads a file; returns `nil` when there is none.
  func read(_ path: String, of source: Grant.Source) throws(GrantRefusal) -> GrantFile? {
    let content: (bytes: [UInt8], info: stat)
    do throws(FileReader.Refusal) {
      content = try FileReader().contents(path, limit: GrantFile.maximumBytes, followsLink: false)
    } catch {
      if case .failed(ENOENT) = error { return nil }
      throw GrantRefusal(reason: error.reason)
    }
    if let problem = problem(with: content.info, of: source) { throw GrantRefusal(reason: problem) }
    guard let file = GrantFile(parsing: content.bytes) else {
      throw GrantRefusal(reason: "is no text in UTF-8")
    }
    return file
  }

  /// Returns whether the files of a folder may be read, and reports why not; a folder that is not there has none.
  private func isTrusted(_ folder: String, _ source: Grant.Source, _ problems: inout [Grant.Problem]) -> Bool
  {
    guard let info = FileReader().information(folder, followsLink: false) else { return false }
    let isFolder = info.st_mode & S_IFMT == S_IFDIR
    guard let problem = isFolder ? problem(with: info, of: source) : "is no folder" else { return true }
    problems.append(Grant.Problem(path: folder, line: nil, explanation: "The folder \(problem)."))
    return false
  }

  /// Returns the reason why a file or folder is not trusted, as it follows "The file …".
  private func problem(with info: stat, of source: Grant.Source) -> String? {
    let isOwned =
      switch source {
      case .user: info.st_uid == geteuid() || info.st_uid == 0
      case .administrator: info.st_uid == administrator
      }
    if !isOwned { return "is that of another user, \(FileOwner.name(info.st_uid))" }
    return info.st_mode & 0o022 == 0 ? nil : "can be written to by others"
  }
}

/// The reason why a file of grants is not read, as it follows "The file …".
struct GrantRefusal: Error {
  let reason: String
}
