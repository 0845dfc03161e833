// SPDX-License-Identifier: MIT

import Subprocess

/// Counts the calls to the Secret Service as the bus sees them, without the library.
///
/// It listens with `dbus-monitor`. Marker calls to paths that nobody else calls show in the monitor's
/// output where a block begins and ends.
actor BusMonitor {
  private var calls: [BusCall] = []

  /// The calls to the Secret Service while `body` runs, in order.
  static func calls(during body: () async throws -> Void) async throws -> [BusCall] {
    try await allCalls(during: body).filter(\.isToSecretService)
  }

  /// The calls to any program while `body` runs, in order.
  static func allCalls(during body: () async throws -> Void) async throws -> [BusCall] {
    let monitor = BusMonitor()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await monitor.listen() }
      defer { group.cancelAll() }  // ends dbus-monitor
      let begin = try await monitor.mark("begin")
      try await body()
      let end = try await monitor.mark("end")
      return await Array(monitor.calls.drop { $0.path != begin }.prefix { $0.path != end })
    }
  }

  /// The names of the methods called while `body` runs, in order.
  static func members(during body: () async throws -> Void) async throws -> [String] {
    try await calls(during: body).map(\.member)
  }

  /// Notes every call on the bus, until the task is cancelled.
  private func listen() async throws {
    _ = try await run(
      .name("dbus-monitor"), arguments: ["--session", "--profile", "type='method_call'"],
      input: .none, output: .sequence, error: .discarded
    ) { monitor in
      for try await line in monitor.standardOutput.strings() {
        if let call = BusCall(profile: line) { calls.append(call) }
      }
    }
  }

  /// Makes a call that nobody listens to and waits until the monitor has reported it, and with it all earlier
  /// ones.
  ///
  /// A call made before the monitor was listening is never reported, so it is made again until one is.
  ///
  /// - Returns: The path that was called.
  private func mark(_ name: String) async throws -> String {
    let path = "/org/secretstorecache/test/\(name)"
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      try await PrivateSession.run(
        "dbus-send",
        [
          "--session", "--type=method_call", "--dest=org.freedesktop.DBus", path,
          "org.freedesktop.DBus.Peer.Ping",
        ])
      for _ in 0..<20 {
        if calls.contains(where: { $0.path == path }) { return path }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    throw PrivateSession.Failed(description: "dbus-monitor did not report a call within ten seconds.")
  }
}
