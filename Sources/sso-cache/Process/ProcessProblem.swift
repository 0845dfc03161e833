// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// What keeps the tool from running in this process, though nothing is wrong with the group.
enum ProcessProblem: ErrorWithRemedy {
  /// `/proc` is not mounted, or a preloaded library hides it, so that there are no arguments.
  case noProc
  /// The process may have too few open files.
  case fewFiles
  /// The process may have too little memory.
  case littleMemory
  /// The process can make too few threads.
  case fewThreads
  /// The disk of a folder does not answer.
  case silentDisk(of: String)

  private var detail: String {
    switch self {
    case .noProc: "The arguments can't be read from /proc."
    case .fewFiles: "Fewer than \(Descriptor.needed) files may be open."
    case .littleMemory: "Less than \(MemoryLimit.megabytes) MB of memory may be reserved."
    case .fewThreads:
      "Fewer than \(ThreadLimit.needed) threads can be made: the limit of your processes and threads is reached."
    case .silentDisk(let folder): "The disk of \(folder) does not answer."
    }
  }

  var remedy: String {
    switch self {
    case .noProc: "Run it where /proc is mounted, and without LD_PRELOAD."
    case .fewFiles: "Raise the limit with ulimit -n 1024, or start it where the limit is higher."
    case .littleMemory:
      "Raise the limits with ulimit -v unlimited and ulimit -d unlimited, or start it where they are higher."
    case .fewThreads: "End programs that you don't need, or raise the limit with ulimit -u."
    case .silentDisk: "Bring back the disk or the server that it is on; findmnt lists them."
    }
  }

  /// The error that is reported.
  var storeError: SecretStoreError { SecretStoreError(.storageFailed, detail, underlying: self) }
}
