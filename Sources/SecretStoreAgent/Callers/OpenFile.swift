// SPDX-License-Identifier: MIT

import Glibc

/// An open file, which is closed with this object.
final class OpenFile: Sendable {
  let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The device and the inode of a file, which no other file of this system has at the same time.
  struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  /// Opens a file; returns `nil` when it can't be opened, and leaves the reason in `errno`.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - folder: The open folder that a relative path begins at.
  ///   - flags: The flags of open(2) besides `O_CLOEXEC`.
  ///   - mode: The mode of a file that is created.
  convenience init?(_ path: String, in folder: OpenFile? = nil, _ flags: Int32, mode: mode_t = 0) {
    let file = unsafe openat(folder?.descriptor ?? AT_FDCWD, path, flags | O_CLOEXEC, mode)
    guard file >= 0 else { return nil }
    self.init(file)
  }

  /// Takes over a descriptor that a C function returned; returns `nil` for a negative one.
  convenience init?(taking descriptor: Int32) {
    guard descriptor >= 0 else { return nil }
    self.init(descriptor)
  }

  /// The identity of the file.
  var identity: Identity? {
    var info = stat()
    return unsafe fstat(descriptor, &info) == 0 ? Identity(device: info.st_dev, inode: info.st_ino) : nil
  }
}
