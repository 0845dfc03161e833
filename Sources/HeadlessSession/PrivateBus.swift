// SPDX-License-Identifier: MIT

import Glibc

/// The session bus of `sso-cache run`.
///
/// It has no service directories, so it never activates a program: neither a second keyring daemon nor a program that
/// uses the user's own files.
struct PrivateBus {
  let process: ChildProcess
  let address: String

  /// Starts the bus and waits until it listens.
  static func start(
    _ environment: HeadlessEnvironment, signals: SignalReceiver, nothing: Int32, log: Int32
  ) throws -> PrivateBus {
    let configuration = "\(environment.session.path)/bus.conf"
    try write(text(socket: environment.session.socket), to: configuration)
    let pipe = try Pipe()
    defer { close(pipe.output) }
    let process: ChildProcess
    do {
      defer { close(pipe.input) }
      process = try SessionParts.start(
        [
          "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--config-file=\(configuration)",
          "--print-address=1",
        ],
        environment: environment.parts,
        files: .init(input: nothing, output: pipe.input, errors: log, lock: environment.keyring.lock))
    }
    do {
      return PrivateBus(process: process, address: try address(from: pipe.output, signals))
    } catch {
      process.end(signals: signals)
      throw error
    }
  }

  /// Reads the bus's address.
  ///
  /// The daemon prints it as its first line when it is ready.
  private static func address(from file: Int32, _ signals: SignalReceiver) throws -> String {
    var bytes: [UInt8] = []
    for _ in 0..<SessionParts.limitMilliseconds / 100 {
      guard try signals.isReadable(file, withinMilliseconds: 100) else { continue }
      var chunk = [UInt8](repeating: 0, count: 512)
      let count = unsafe read(file, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
    }
    throw HeadlessFailure.unavailable(
      "The session bus did not start.", remedy: "Install the Debian package dbus-daemon again.")
  }

  /// Writes a file that does not exist yet.
  private static func write(_ text: String, to path: String) throws(HeadlessFailure) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw notWritten(path, errno) }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      guard written > 0 else { throw notWritten(path, errno) }
      rest = rest.dropFirst(written)
    }
  }

  private static func notWritten(_ path: String, _ error: Int32) -> HeadlessFailure {
    .storage(
      "\(path) can't be written: \(HeadlessFailure.text(ofError: error)).",
      remedy: "Check that there is space, and that you may write there.")
  }

  private static func text(socket: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <keep_umask/>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*"/>
        <allow receive_sender="*"/>
        <allow own="*"/>
      </policy>
      <limit name="max_incoming_bytes">1000000000</limit>
      <limit name="max_outgoing_bytes">1000000000</limit>
      <limit name="max_message_size">1000000000</limit>
      <limit name="max_completed_connections">100000</limit>
      <limit name="max_connections_per_user">100000</limit>
      <limit name="max_match_rules_per_connection">50000</limit>
      <limit name="max_replies_per_connection">50000</limit>
    </busconfig>

    """
  }
}
