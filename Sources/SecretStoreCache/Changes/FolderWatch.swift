// SPDX-License-Identifier: MIT

import Dispatch
import Glibc

/// An observer of writes to the files of a folder (inotify(7)).
@safe final class FolderWatch: @unchecked Sendable {  // the source may be cancelled on any thread
  private let source: any DispatchSourceRead

  /// Starts to observe, until this object is released.
  ///
  /// - Returns: `nil` when the folder can't be observed.
  init?(_ folder: String, _ handler: @escaping @Sendable () -> Void) {
    let file = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard file >= 0 else { return nil }
    guard unsafe inotify_add_watch(file, folder, UInt32(IN_MODIFY)) >= 0 else {
      close(file)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: .global())
    source.setEventHandler {
      // The file does not matter: the names are digests.
      var events = [UInt8](repeating: 0, count: 4096)
      while unsafe events.withUnsafeMutableBytes({ unsafe read(file, $0.baseAddress, $0.count) }) > 0 {}
      handler()
    }
    source.setCancelHandler { close(file) }
    source.resume()
    self.source = source
  }

  deinit { source.cancel() }
}
