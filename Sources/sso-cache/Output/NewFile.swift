// SPDX-License-Identifier: MIT

import Glibc
import HeadlessSession
import SecretStoreCache

/// A file to be created.
struct NewFile {
  let path: String
  let text: String

  /// Creates all of the files, or none.
  ///
  /// - Throws: `invalidArgument` when one exists already, `storageFailed` when one can't be written.
  static func write(_ files: [NewFile]) throws(SecretStoreError) {
    var made: [NewFile] = []
    do throws(SecretStoreError) {
      for file in files {
        let descriptor = try file.create()
        made.append(file)
        defer { close(descriptor) }
        try file.write(to: descriptor)
      }
    } catch {
      for file in made { _ = unsafe unlink(file.path) }
      throw error
    }
  }

  private func create() throws(SecretStoreError) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    if file >= 0 { return file }
    if errno == EEXIST {
      throw SecretStoreError(.invalidArgument, "\(path) is there already; nothing was written.")
    }
    throw SecretStoreError(
      .storageFailed, "\(path) can't be made: \(HeadlessFailure.text(ofError: errno)).",
      underlying: LostOutput(remedy: "Name a folder that is there and that you may write to."))
  }

  private func write(to file: Int32) throws(SecretStoreError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      guard written > 0 else {
        throw SecretStoreError(
          .storageFailed, "\(path) can't be written: \(HeadlessFailure.text(ofError: errno)).",
          underlying: LostOutput())
      }
      rest = rest.dropFirst(written)
    }
  }
}
