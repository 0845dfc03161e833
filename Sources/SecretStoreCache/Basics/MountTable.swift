// SPDX-License-Identifier: MIT

/// The mounts that a process sees, as the kernel lists them in `/proc/self/mountinfo` (proc(5)).
package struct MountTable: Sendable {
  /// One line of the table.
  struct Mount: Hashable, Sendable {
    let id: Int
    let parent: Int
    /// The folder of the file system that is mounted.
    let root: [UInt8]
    /// The path at which it is mounted.
    let point: [UInt8]
    /// Whether neither the mount nor the file system is read-only.
    let isWritable: Bool
  }

  private let children: [Int: [Mount]]
  private let root: Mount

  /// Reads the mounts of this process; returns `nil` when they can't be read.
  package static func current() -> MountTable? {
    guard let (bytes, _) = try? FileReader().contents("/proc/self/mountinfo", limit: 16_777_216) else {
      return nil
    }
    return MountTable(parsing: bytes)
  }

  /// Returns the point of the mount that a folder is on; `nil` where that can't be seen.
  package static func point(of folder: String) -> String? {
    PrivateFolder.resolved(folder).flatMap { current()?.mountPoint(of: $0) }
  }

  /// Parses a table.
  ///
  /// - Returns: `nil` when a line is malformed or the mounts don't form one tree. No part of the table is used then.
  init?(parsing text: [UInt8]) {
    var mounts: [Mount] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let mount = Mount(line) else { return nil }
      mounts.append(mount)
    }
    let ids = Set(mounts.map(\.id))
    guard ids.count == mounts.count else { return nil }
    // The parent of the first mount is outside of the process's view.
    let roots = mounts.filter { !ids.contains($0.parent) || $0.parent == $0.id }
    guard roots.count == 1, let root = roots.first, root.point == Self.slash else { return nil }
    self.root = root
    children = Dictionary(grouping: mounts.filter { $0 != root }, by: \.parent)
  }

  /// Returns the mount at a path, if the path itself is a mount point and no other mount hides it.
  ///
  /// - Parameter path: An absolute path without links.
  func mount(at path: String) -> Mount? {
    guard let (mount, path) = found(path) else { return nil }
    return mount.point == path ? mount : nil
  }

  /// Returns the point of the mount that a file is on.
  ///
  /// - Parameter path: The file's absolute path without links.
  func mountPoint(of path: String) -> String? {
    found(path).map { String(decoding: $0.mount.point, as: UTF8.self) }
  }

  /// Returns the mount that a path leads to, and the path without needless slashes.
  private func found(_ path: String) -> (mount: Mount, path: [UInt8])? {
    let names = Array(path.utf8).split(separator: UInt8(ascii: "/"))
    guard path.utf8.first == UInt8(ascii: "/") else { return nil }
    var prefix: [UInt8] = []
    var top = topmost(over: root, at: Self.slash)
    for name in names {
      prefix += Self.slash + name
      top = topmost(over: top, at: prefix)
    }
    return (top, prefix)
  }

  /// Returns the mount that is on top at a path below the given mount.
  private func topmost(over mount: Mount, at point: [UInt8]) -> Mount {
    var top = mount
    var seen: Set<Int> = [mount.id]
    while let next = children[top.id]?.last(where: { $0.point == point }), seen.insert(next.id).inserted {
      top = next
    }
    return top
  }

  private static let slash = [UInt8(ascii: "/")]
}

extension MountTable.Mount {
  /// Parses a line: `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`.
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard let end = fields.dropFirst(6).firstIndex(of: [UInt8(ascii: "-")][...]), fields.count == end + 4,
      let id = Int(String(decoding: fields[0], as: UTF8.self)),
      let parent = Int(String(decoding: fields[1], as: UTF8.self)),
      let root = Self.unescaped(fields[3]), let point = Self.unescaped(fields[4]),
      point.first == UInt8(ascii: "/")
    else { return nil }
    func isReadOnly(_ options: ArraySlice<UInt8>) -> Bool {
      options.split(separator: UInt8(ascii: ",")).contains(Array("ro".utf8)[...])
    }
    self.id = id
    self.parent = parent
    self.root = root
    self.point = point
    isWritable = !isReadOnly(fields[5]) && !isReadOnly(fields[end + 3])
  }

  /// The name of the mounted folder; empty when a whole file system is mounted.
  var folderName: [UInt8] { Array(root.split(separator: UInt8(ascii: "/")).last ?? []) }

  /// Removes the kernel's escapes from a path: a backslash and three octal digits stand for a byte.
  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(3)
      rest = rest.dropFirst(3)
      guard digits.count == 3, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) else {
        return nil
      }
      bytes.append(value)
    }
    return bytes
  }
}
