// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// The `.desktop` files below `applications` in the data directories.
package struct DesktopFiles: ManifestSource {
  /// The size of the largest file that is read, in bytes.
  package static let maximumBytes = 1_048_576

  /// The maximum depth of folders that are searched; no known app uses deeper ones.
  private static let maximumDepth = 8

  let directories: DataDirectories
  private let reader = FileReader()

  init(directories: DataDirectories) { self.directories = directories }

  package func manifestFiles() -> [ManifestFile] {
    let own = directories.home.map { files(in: Self.folder($0), isInUserData: true) } ?? []
    return own + directories.shared.flatMap { files(in: Self.folder($0), isInUserData: false) }
  }

  /// The `applications` folders that this user must not read, or not reach, and what is no folder in their place.
  var closedFolders: [String] {
    ([directories.home].compactMap(\.self) + directories.shared).map(Self.folder).filter { folder in
      if let info = reader.information(folder, followsLink: true), info.st_mode & S_IFMT != S_IFDIR {
        return true
      }
      return unsafe access(folder, R_OK | X_OK) != 0 && errno == EACCES
    }
  }

  private static func folder(_ directory: String) -> String { "\(directory)/applications" }

  private func files(in folder: String, isInUserData: Bool) -> [ManifestFile] {
    guard let link = reader.information(folder, followsLink: false),
      let info = reader.information(folder, followsLink: true)
    else { return [] }
    var trust = FileTrust()
    trust.add(link, for: reader)
    trust.add(info, for: reader)
    return files(in: folder, prefix: "", depth: 1, trust: trust, isInUserData: isInUserData)
  }

  /// Returns the files of a folder and its subfolders.
  ///
  /// Folder names become part of the id, joined by hyphens (Desktop Entry Specification, "Desktop File ID"). Symbolic
  /// links to folders are not followed, because they can form a cycle.
  private func files(
    in folder: String, prefix: String, depth: Int, trust: FileTrust, isInUserData: Bool
  ) -> [ManifestFile] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    return names.flatMap { name -> [ManifestFile] in
      let path = "\(folder)/\(name)"
      guard let info = reader.information(path, followsLink: false) else { return [] }
      var trust = trust
      trust.add(info, for: reader)
      if info.st_mode & S_IFMT == S_IFDIR {
        guard depth < Self.maximumDepth else { return [] }
        return files(
          in: path, prefix: "\(prefix)\(name)-", depth: depth + 1, trust: trust, isInUserData: isInUserData)
      }
      guard name.hasSuffix(".desktop") else { return [] }
      return [
        file(
          path, identifier: prefix + name.dropLast(".desktop".count), trust: trust,
          isInUserData: isInUserData, isSymbolicLink: info.st_mode & S_IFMT == S_IFLNK)
      ]
    }
  }

  private func file(
    _ path: String, identifier: String, trust: FileTrust, isInUserData: Bool, isSymbolicLink: Bool
  ) -> ManifestFile {
    var trust = trust
    var content: ManifestFile.Content
    var declaresSharing: Bool?
    do throws(FileReader.Refusal) {
      let (bytes, info) = try reader.contents(path, limit: Self.maximumBytes)
      trust.add(info, for: reader)
      if let entry = DesktopEntry(bytes) {
        content = .entry(entry)
      } else if bytes.allSatisfy({ $0 == 0 }) {
        // A crash may have taken what the file declared.
        content = .unreadable("has no content, or zero bytes only, as a crash leaves them")
      } else {
        content = .unreadable("is no key file with a group [Desktop Entry], or its keys are no UTF-8")
        // In UTF-16, each second byte of these letters is zero.
        declaresSharing = bytes.filter { $0 != 0 }.contains(Array("X-Keychain".utf8))
      }
    } catch {
      content = .unreadable(error.reason)
    }
    return ManifestFile(
      identifier: identifier, path: path, isInUserData: isInUserData, owner: trust.owner,
      isSymbolicLink: isSymbolicLink, isWritableByOthers: trust.isWritableByOthers, content: content,
      declaresSharing: declaresSharing)
  }
}

/// Who can change the files and folders that were read: the least trusted owner, and whether others can write to them.
struct FileTrust {
  private(set) var owner = ManifestFile.Owner.root
  private(set) var isWritableByOthers = false

  /// Takes another file or folder into account.
  mutating func add(_ info: stat, for reader: FileReader) {
    let owner = reader.owner(of: info)
    if self.owner == .root || owner == .other { self.owner = owner }
    if reader.isWritableByOthers(info) { isWritableByOthers = true }
  }
}
