// SPDX-License-Identifier: MIT

import CLibSecret

/// A program started by GIO.
///
/// swift-subprocess would start it as well, but an app that adds this library would build it, and swift-system, for the
/// version of a provider that doctor shows. GIO comes with libsecret.
@safe final class RunningProgram: @unchecked Sendable {  // a GSubprocess may be used from any thread
  let pointer: OpaquePointer

  init(_ command: [String], _ environment: [String: String]) throws(BusError) {
    let launcher: OpaquePointer = unsafe g_subprocess_launcher_new(
      GSubprocessFlags(
        rawValue: G_SUBPROCESS_FLAGS_STDOUT_PIPE.rawValue | G_SUBPROCESS_FLAGS_STDERR_SILENCE.rawValue))
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(launcher)) }
    for (name, value) in environment { unsafe g_subprocess_launcher_setenv(launcher, name, value, 1) }
    var words = unsafe command.map { unsafe UnsafePointer(g_strdup($0)) } as [UnsafePointer<CChar>?]
    defer { unsafe words.forEach { unsafe g_free(UnsafeMutableRawPointer(mutating: $0)) } }
    unsafe words.append(nil)
    let started = unsafe try withGError { unsafe g_subprocess_launcher_spawnv(launcher, &words, $0) }
    guard let started = unsafe started else { throw BusError.noOutput }
    unsafe pointer = started
  }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// Kills the program if it has not ended.
  func end() { unsafe g_subprocess_force_exit(pointer) }
}
