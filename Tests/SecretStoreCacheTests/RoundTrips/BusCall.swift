// SPDX-License-Identifier: MIT

/// A method call on the session bus.
struct BusCall: Hashable {
  /// The object that was called.
  let path: String
  /// The method's name, without its interface.
  let member: String

  /// Reads a line of `dbus-monitor --profile`, which prints one for each message.
  ///
  /// The fields, parted by tabs: type, time, serial, sender, destination, path, interface, member.
  init?(profile line: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 8, fields[0] == "mc" else { return nil }
    path = String(fields[5])
    member = String(fields[7])
  }

  /// Whether the call is to the Secret Service or an object of it.
  var isToSecretService: Bool {
    path == "/org/freedesktop/secrets" || path.hasPrefix("/org/freedesktop/secrets/")
  }
}
