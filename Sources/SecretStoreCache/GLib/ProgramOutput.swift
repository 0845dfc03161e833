// SPDX-License-Identifier: MIT

import CLibSecret

/// The output of a program that GIO runs; the program is killed at the deadline.
package enum ProgramOutput {
  /// Runs a program that is found in `PATH` and returns its standard output.
  ///
  /// - Parameter environment: Variables to set in addition to this process's.
  /// - Throws: GLib's error when there is no such program; `timedOut` when it does not end before the deadline.
  package static func text(of command: [String], environment: [String: String] = [:]) async throws -> String {
    let running = Locked<RunningProgram?>(nil)
    defer { running.withLock { $0 }?.end() }
    return try await withGLibCall(.cancellable) { call in
      let program = try RunningProgram(command, environment)
      running.withLock { $0 = program }
      unsafe g_subprocess_communicate_utf8_async(
        program.pointer, nil, call.cancellable, PendingCall.callback, call.retained())
    } finish: { reply in
      guard let program = running.withLock({ $0 }) else { return "" }
      var text: UnsafeMutablePointer<CChar>?
      _ = unsafe try withGError {
        unsafe g_subprocess_communicate_utf8_finish(program.pointer, reply.result, &text, nil, $0)
      }
      defer { unsafe g_free(text) }
      return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
  }
}
