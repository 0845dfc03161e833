// SPDX-License-Identifier: MIT

import CProcess
import Glibc
import KeychainGroupModel
import SecretStoreCache

/// A process that calls, held so that a later process with the same number is not taken for it.
///
/// Its files in `/proc` are read through one open folder, which stays this process's.
struct CallingProcess {
  let identifier: pid_t
  /// The process's folder in `/proc`.
  let folder: OpenFile
  private let process: SystemProcess
  private let startTime: String
  /// A descriptor that stands for the process: the one that was given, or one of this value's own; `nil` where the
  /// kernel has none.
  private let descriptor: Int32?
  private let ownDescriptor: OpenFile?

  /// Opens a process.
  ///
  /// - Parameters:
  ///   - identifier: The process ID.
  ///   - descriptor: A descriptor that stands for the process, which stays the caller's; `nil` to open one.
  ///   - processes: The folder `/proc`.
  /// - Throws: `identityMismatch` when the process has ended, or the descriptor is another process's.
  init(
    _ identifier: pid_t, descriptor: Int32?, in processes: String
  ) throws(SecretStoreError) {
    self.identifier = identifier
    process = SystemProcess(Int(identifier), in: processes)
    if let descriptor {
      let fields = FileReader.text("\(processes)/self/fdinfo/\(descriptor)")?.split(separator: "\n") ?? []
      guard fields.contains(where: { $0.split { " \t".contains($0) } == ["Pid:", "\(identifier)"] }) else {
        throw Self.refusal(identifier, "is not the one that the bus names")
      }
      ownDescriptor = nil
      self.descriptor = descriptor
    } else {
      var error: Int32 = 0
      ownDescriptor = OpenFile(taking: unsafe process_descriptor(identifier, &error))
      guard ownDescriptor != nil || error == ENOSYS else {
        throw Self.refusal(identifier, "can't be opened (error \(error))")
      }
      self.descriptor = ownDescriptor?.descriptor
    }
    guard let startTime = process.startTime,
      let folder = OpenFile("\(processes)/\(identifier)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    else { throw Self.refusal(identifier, "has ended") }
    self.startTime = startTime
    self.folder = folder
  }

  /// Checks that the process still runs, so that what was read is its own.
  ///
  /// - Throws: `identityMismatch` when it has ended.
  func requireRunning() throws(SecretStoreError) {
    var query = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0)
    // A process's descriptor can be read once the process has ended. A negative one is never ready.
    guard unsafe poll(&query, 1, 0) == 0, process.startTime == startTime else {
      throw refusal("has ended")
    }
  }

  /// Reads one of the process's files; returns `nil` when there is none.
  ///
  /// - Throws: `identityMismatch` when it can't be read.
  func text(_ name: String) throws(SecretStoreError) -> String? {
    do throws(FileReader.Refusal) {
      let bytes = try FileReader().contents(name, limit: 1_048_576, in: folder.descriptor).bytes
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    } catch {
      if case .failed(ENOENT) = error { return nil }
      throw refusal("has the file \(name), which \(error.reason)")
    }
  }

  /// Returns the error for a process that is not served, with the reason as it follows "The process …".
  func refusal(_ reason: String) -> SecretStoreError { Self.refusal(identifier, reason) }

  private static func refusal(_ identifier: pid_t, _ reason: String) -> SecretStoreError {
    SecretStoreError(.identityMismatch, "The calling process \(identifier) \(reason).")
  }
}
