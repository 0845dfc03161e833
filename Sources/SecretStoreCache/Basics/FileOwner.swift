// SPDX-License-Identifier: MIT

package import Glibc

/// Users as owners of files.
package enum FileOwner {
  /// Returns the user whose folder keeps this user from reading a path: the owner of the nearest folder above it.
  ///
  /// - Returns: `nil` when the owner is root or this user, or can't be determined.
  package static func foreignOwner(above path: String) -> uid_t? {
    var info = stat()
    guard unsafe stat(existing(above: path), &info) == 0 else { return nil }
    return info.st_uid == 0 || info.st_uid == geteuid() ? nil : info.st_uid
  }

  /// Returns the nearest folder above a path that this user can access.
  package static func existing(above path: String) -> String {
    var names = path.split(separator: "/")[...]
    while names.popLast() != nil {
      let folder = "/" + names.joined(separator: "/")
      var info = stat()
      if unsafe stat(folder, &info) == 0 { return folder }
    }
    return "/"
  }

  /// Returns the command with which this user can read a file or folder again whose own mode denies it.
  ///
  /// - Returns: `nil` where the mode, also that of the folder above, is not the cause, or it is another user's.
  package static func opening(_ path: String) -> String? {
    let reader = FileReader()
    let closed = reader.information(path, followsLink: true) == nil ? existing(above: path) : path
    guard let info = reader.information(closed, followsLink: true), info.st_uid == geteuid() else {
      return nil
    }
    let rights: (mode_t, String)? =
      switch info.st_mode & S_IFMT {
      case S_IFDIR: (S_IRUSR | S_IXUSR, "u+rwx")
      case S_IFREG: (S_IRUSR, "u+rw")
      default: nil
      }
    guard let rights, info.st_mode & rights.0 != rights.0 else { return nil }
    return "chmod \(rights.1) \(ShellWord.quoted(closed))"
  }

  /// Returns the remedy that lets this user write in a folder.
  package static func makingWritable(_ folder: String) -> String {
    let owner = FileReader().information(folder, followsLink: true)?.st_uid
    guard let owner, owner != geteuid() else { return "chmod u+rwx \(ShellWord.quoted(folder))" }
    return "Have \(name(owner)), who owns \(folder), make it yours"
  }

  /// Returns the name and the number of a user.
  package static func name(_ user: uid_t) -> String {
    unsafe text(of: user) { unsafe $0.pw_name }.map { "\($0) (\(user))" } ?? "\(user)"
  }

  /// Returns a user's home directory according to the user database; `nil` when the user is not in it.
  package static func home(of user: uid_t) -> String? {
    unsafe text(of: user) { unsafe $0.pw_dir }
  }

  /// Returns whether a folder is below this user's home, and no link is on the way to it from there.
  ///
  /// Only then does a command of root's for that path reach what the user's own programs would.
  static func isBelowHome(_ folder: String) -> Bool {
    let homes = [RuntimeDirectory.environment("HOME"), home(of: geteuid())].compactMap(\.self)
    return homes.contains { home in
      guard home.hasPrefix("/"), home != "/", folder.hasPrefix("\(home)/"),
        let real = PrivateFolder.resolved(home)
      else { return false }
      return PrivateFolder.resolved(folder) == real + folder.dropFirst(home.count)
    }
  }

  /// Returns whether a group is this user's private one, as Debian makes one for each user.
  static func isPrivateGroup(_ group: gid_t) -> Bool {
    guard let user = unsafe text(of: geteuid(), { unsafe $0.pw_name }) else { return false }
    var entry = unsafe Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress,
        unsafe getgrgid_r(group, &entry, start, buffer.count, &found) == 0, unsafe found != nil,
        let name = unsafe entry.gr_name
      else { return false }
      var members: [String] = []
      var member = unsafe entry.gr_mem
      while let text = unsafe member?.pointee {
        unsafe members.append(String(cString: text))
        unsafe member = member?.successor()
      }
      return isPrivate(group: unsafe String(cString: name), members: members, of: user)
    }
  }

  /// Returns whether a group is a user's private one: it has the user's name, and no other member.
  static func isPrivate(group: String, members: [String], of user: String) -> Bool {
    group == user && members.allSatisfy { $0 == user }
  }

  /// Returns a text of a user's entry in the user database.
  private static func text(of user: uid_t, _ read: (passwd) -> UnsafeMutablePointer<CChar>?) -> String? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress,
        unsafe getpwuid_r(user, &entry, start, buffer.count, &found) == 0, unsafe found != nil,
        let text = unsafe read(entry)
      else { return nil }
      return unsafe String(cString: text)
    }
  }
}
